-- Made by npm run db:snapshot from the catalogue. A change is a migration.
-- Which user has blocked which: neither writes to the other in a direct chat.
-- @manyToMany
create table app_public.blocks (
  blocker_id bigint not null, -- The user who blocks.
  blocked_id bigint not null, -- The user who is blocked.
  created_at timestamptz not null default now(), -- The time of the block.
  constraint blocks_pkey primary key (blocker_id, blocked_id),
  constraint blocks_blocked_id_fkey foreign key (blocked_id) references app_public.users(id) on delete cascade, -- [@fieldName blockedUsers] [@backwardBehavior -list -connection]
  constraint blocks_blocker_id_fkey foreign key (blocker_id) references app_public.users(id) on delete cascade -- [@fieldName blockers] [@backwardBehavior -list] [@listOrder created_at desc, blocked_id desc] [@describe list The users whom this user has blocked, the last one first. Nobody else sees them.]
);

-- Indexes
create index blocks_blocked_id_idx on app_public.blocks (blocked_id);
create index blocks_blocker_id_created_at_blocked_id_idx on app_public.blocks (blocker_id, created_at desc, blocked_id desc);

-- Row-level security
alter table app_public.blocks enable row level security;
create policy select_own on app_public.blocks for select to api_member
  using ((blocker_id = ( select app_hidden.viewer_id() as viewer_id)));

-- Rights, beside the owner's
grant select on app_public.blocks to api_anonymous;
grant select on app_public.blocks to api_member;
