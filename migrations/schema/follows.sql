-- Made by npm run db:snapshot from the catalogue. A change is a migration.
-- Which user follows which.
-- @manyToMany
create table app_public.follows (
  follower_id bigint not null, -- The user who follows.
  followed_id bigint not null, -- The user who is followed.
  created_at  timestamptz not null default now(), -- The time when the follow began.
  constraint follows_pkey primary key (follower_id, followed_id),
  constraint follows_followed_id_fkey foreign key (followed_id) references app_public.users(id) on delete cascade, -- [@fieldName following] [@backwardBehavior -list] [@listOrder created_at desc, follower_id desc] [@totalCount app_hidden.count_followers] [@describe list The users who follow this user. Newest follow first.]
  constraint follows_follower_id_fkey foreign key (follower_id) references app_public.users(id) on delete cascade, -- [@fieldName followers] [@backwardBehavior -list] [@listOrder created_at desc, followed_id desc] [@totalCount app_hidden.count_following] [@describe list The users whom this user follows. Newest follow first.]
  constraint follows_not_oneself_check check ((follower_id <> followed_id)) -- [@code ONESELF] You cannot follow yourself.
);

-- Indexes
create index follows_created_at_day_idx on app_public.follows ((((created_at at time zone 'UTC'::text))::date));
create index follows_followed_id_created_at_follower_id_idx on app_public.follows (followed_id, created_at desc, follower_id desc);
create index follows_follower_id_created_at_followed_id_idx on app_public.follows (follower_id, created_at desc, followed_id desc);

-- Triggers, before and after, in the order in which they run
-- Before a row is written with a time that no content can have: names the column.
create trigger _210_bound_times before insert or update of created_at on app_public.follows for each row when ((not conventions.is_plausible(new.created_at))) execute function conventions.tg__refuse_times('created_at');
-- After a statement: records its changes in the audit trail, and in the counters of the table.
create trigger _900_record_truncate before truncate on app_public.follows for each statement execute function conventions.tg__record_changes('{}', '{}', '{follows.followed_id,follows.follower_id}', '{followed_id,follower_id}', '{NULL,NULL}', '{}');
-- After users follow others: notifies those.
create trigger _700_notify_users_delete after delete on app_public.follows referencing old table as old_rows for each statement execute function app_hidden.tg_follows__notify_users();
-- After users follow others: notifies those.
create trigger _700_notify_users_insert after insert on app_public.follows referencing new table as new_rows for each statement execute function app_hidden.tg_follows__notify_users();
-- After follows are removed: records the day and the author, not the follower.
create trigger _700_record_unfollows after delete on app_public.follows referencing old table as old_rows for each statement execute function app_hidden.tg_follows__record_unfollows();
-- After a statement: records its changes in the audit trail, and in the counters of the table.
create trigger _900_record_delete after delete on app_public.follows referencing old table as old_rows for each statement execute function conventions.tg__record_changes('{}', '{}', '{follows.followed_id,follows.follower_id}', '{followed_id,follower_id}', '{NULL,NULL}', '{}');
-- After a statement: records its changes in the audit trail, and in the counters of the table.
create trigger _900_record_insert after insert on app_public.follows referencing new table as new_rows for each statement execute function conventions.tg__record_changes('{}', '{}', '{follows.followed_id,follows.follower_id}', '{followed_id,follower_id}', '{NULL,NULL}', '{}');
-- After a statement: records its changes in the audit trail, and in the counters of the table.
create trigger _900_record_update after update on app_public.follows referencing old table as old_rows new table as new_rows for each statement execute function conventions.tg__record_changes('{}', '{}', '{follows.followed_id,follows.follower_id}', '{followed_id,follower_id}', '{NULL,NULL}', '{}');

-- Row-level security
alter table app_public.follows enable row level security;
create policy delete_own on app_public.follows for delete to api_member
  using ((follower_id = ( select app_hidden.viewer_id() as viewer_id)));
create policy insert_own on app_public.follows for insert to api_member
  with check ((follower_id = ( select app_hidden.viewer_id() as viewer_id)));
create policy select_all on app_public.follows for select to api_anonymous, api_member
  using (true);

-- Rights, beside the owner's
grant select on app_public.follows to api_anonymous;
grant delete on app_public.follows to api_member;
grant insert (follower_id, followed_id) on app_public.follows to api_member;
grant select on app_public.follows to api_member;
