-- Made by npm run db:snapshot from the catalogue. A change is a migration.
-- Whose a person of an identity provider is here.
create table app_private.identities (
  issuer     text not null, -- The provider: the claim iss of its tokens.
  subject    text not null, -- The person, to the provider: the claim sub.
  user_id    bigint not null, -- The person, here.
  created_at timestamptz not null default now(), -- When the person came with a token for the first time.
  constraint identities_pkey primary key (issuer, subject),
  constraint identities_user_id_fkey foreign key (user_id) references app_public.users(id) on delete cascade
);

-- Indexes
create index identities_user_id_idx on app_private.identities (user_id);

-- Triggers, before and after, in the order in which they run
-- After a person of an identity provider is no user here any more, or another one: ends what the person may have been given as that user.
create trigger _500_end_credentials after delete or update on app_private.identities for each row execute function app_hidden.tg_identities__end_credentials();

-- Row-level security
alter table app_private.identities enable row level security;
