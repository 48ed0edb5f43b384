-- Made by npm run db:snapshot from the catalogue. A change is a migration (migrations/README.md).
-- Follows that users ended.
create table app_private.unfollows (
  id        bigint not null generated always as identity, -- Identifies the entry.
  author_id bigint not null, -- The user who was followed.
  day       date not null default ((clock_timestamp() at time zone 'UTC'::text))::date, -- The day, UTC.
  constraint unfollows_pkey primary key (id),
  constraint unfollows_author_id_fkey foreign key (author_id) references app_public.users(id) on delete cascade
);

-- Indexes
create index unfollows_author_id_idx on app_private.unfollows (author_id);
create index unfollows_day_idx on app_private.unfollows (day);

-- Triggers, before and after, in the order in which they run
-- After a table is truncated: forgets all kept facts.
create trigger _700_forget_facts after truncate on app_private.unfollows for each statement execute function app_hidden.tg__forget_facts();
-- After rows change: marks the facts of their days as stale.
create trigger _700_mark_stale_facts_removed after delete on app_private.unfollows referencing old table as old_rows for each statement execute function app_hidden.tg__mark_stale_facts('day');
-- After rows change: marks the facts of their days as stale.
create trigger _700_mark_stale_facts_updated after update on app_private.unfollows referencing old table as old_rows new table as new_rows for each statement execute function app_hidden.tg__mark_stale_facts('day');
