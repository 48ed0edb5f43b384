-- Made by npm run db:snapshot from the catalogue. A change is a migration.
-- The networks from which a user has signed in within 90 days.
create table app_private.sign_in_networks (
  user_id      bigint not null, -- The user.
  network      text not null, -- An IPv4 address, or the /64 of an IPv6 address: see client_network().
  signed_in_at timestamptz not null default now(), -- The time of the last sign-in, to the day.
  constraint sign_in_networks_pkey primary key (user_id, network),
  constraint sign_in_networks_user_id_fkey foreign key (user_id) references app_public.users(id) on delete cascade
);

-- Indexes
create index sign_in_networks_signed_in_at_idx on app_private.sign_in_networks (signed_in_at);

-- Row-level security
alter table app_private.sign_in_networks enable row level security;
