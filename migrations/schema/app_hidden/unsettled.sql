-- Made by npm run db:snapshot from the catalogue. A change is a migration (migrations/README.md).
-- The keys whose rows in a table may have a wrong is_public, so that policies look the parent up; an empty key if rows of any key may have is_public false by mistake.
create table app_hidden.unsettled (
  relation    regclass not null,
  key         text not null,
  next_block  bigint not null default 0,
  has_changes boolean not null default false,
  constraint unsettled_pkey primary key (relation, key)
);

-- Policies
create policy select_all on app_hidden.unsettled for select to api_anonymous, api_member
  using (true);

-- Rights, beside the owner's
grant select on app_hidden.unsettled to api_anonymous;
grant select on app_hidden.unsettled to api_member;
