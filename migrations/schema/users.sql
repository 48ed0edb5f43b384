-- Made by npm run db:snapshot from the catalogue. A change is a migration.
-- A person who writes, comments and follows.
-- @listLimit 100
-- @sameForAll
-- @listFilter name_starts_with app_hidden.user_ids_named
-- @describe name_starts_with Names with these words, in any case; the last may be unfinished.
-- @firstRows app_hidden.first_users_named name_starts_with! after
-- @subscription meUpdated id updated viewer
-- @describe meUpdated You, each time you mark notifications as read or change your profile on any device, or an admin changes your role.
create table app_public.users (
  id         bigint not null generated always as identity, -- The user’s id.
  name       text not null, -- The display name.
  avatar     text, -- The URL of the user’s picture.
  bio        text, -- The user’s description of themselves.
  role       app_public.user_role not null default 'USER'::app_public.user_role, -- The user’s rights.
  created_at timestamptz not null default now(), -- The time when the user signed up.
  constraint users_pkey primary key (id),
  constraint users_avatar_length_check check ((char_length(avatar) <= 2000)), -- An avatar’s URL has at most 2000 characters.
  constraint users_avatar_url_check check ((avatar ~ '^https://[^[:space:]/?#@"<>\\^`{|}]+([/?#][^[:space:]"<>\\^`{|}]*)?$'::text)), -- An avatar is a URL that begins with https://.
  constraint users_bio_length_check check ((char_length(bio) <= 1000)), -- A bio has at most 1000 characters.
  constraint users_name_blank_check check (((name ~ '\S'::text) or (name = ''::text))), -- A name needs a character other than white space.
  constraint users_name_length_check check (((char_length(name) >= 1) and (char_length(name) <= 100))) -- A name needs between 1 and 100 characters.
);

-- Indexes
create index users_created_at_day_idx on app_public.users ((((created_at at time zone 'UTC'::text))::date));
create index users_name_forms_idx on app_public.users using gin (app_hidden.name_words(name));

-- Triggers, before and after, in the order in which they run
-- Before a user is written: a blank bio and an empty avatar become null.
create trigger _100_prepare before insert or update on app_public.users for each row execute function app_hidden.tg_users__prepare();
-- Before a row of app_public.users is written: brings its texts into Unicode normal form C, and raises all its validation errors at once.
create trigger _200_validate before insert or update of avatar, bio, name on app_public.users for each row execute function conventions.validate_app_public_users();
-- Before a row is written with a time that no content can have: names the column.
create trigger _210_bound_times before insert or update of created_at on app_public.users for each row when ((not conventions.is_plausible(new.created_at))) execute function conventions.tg__refuse_times('created_at');
-- After a statement: records its changes in the audit trail, and in the counters of the table.
create trigger _900_record_truncate before truncate on app_public.users for each statement execute function conventions.tg__record_changes('{id}', '{}', '{}', '{}', '{}', '{}');
-- Before a streamed table is truncated: refuses it, since no row is told.
create trigger _900_stream_truncate before truncate on app_public.users for each statement execute function change_feed.tg__refuse_truncate();
-- After the role of a user changes, or a user is deleted: notifies the services to check again what the user may read.
create trigger _900_notify_rights after delete or update of role on app_public.users for each row execute function app_hidden.tg_users__notify_rights();
-- After a statement: records its changes in the audit trail, and in the counters of the table.
create trigger _900_record_delete after delete on app_public.users referencing old table as old_rows for each statement execute function conventions.tg__record_changes('{id}', '{}', '{}', '{}', '{}', '{}');
-- After a statement: records its changes in the audit trail, and in the counters of the table.
create trigger _900_record_insert after insert on app_public.users referencing new table as new_rows for each statement execute function conventions.tg__record_changes('{id}', '{}', '{}', '{}', '{}', '{}');
-- After a statement: records its changes in the audit trail, and in the counters of the table.
create trigger _900_record_update after update on app_public.users referencing old table as old_rows new table as new_rows for each statement execute function conventions.tg__record_changes('{id}', '{}', '{}', '{}', '{}', '{}');
-- After a statement: records its changes in the streams of the table, and notifies the services.
create trigger _900_stream_id_update after update on app_public.users referencing old table as old_rows new table as new_rows for each statement execute function change_feed.tg__record_events('id', 'id', '', '');

-- Row-level security
alter table app_public.users enable row level security;
create policy select_all on app_public.users for select to api_anonymous, api_member
  using (true);
create policy update_own on app_public.users for update to api_member
  using ((id = ( select app_hidden.viewer_id() as viewer_id)));

-- Rights, beside the owner's
grant select on app_public.users to api_anonymous;
grant select on app_public.users to api_member;
grant update (name, avatar, bio) on app_public.users to api_member;

-- Referenced by
-- app_private.account_tokens (account_tokens_user_id_fkey)
-- app_private.accounts (accounts_user_id_fkey)
-- app_private.direct_chats (direct_chats_high_user_id_fkey)
-- app_private.direct_chats (direct_chats_low_user_id_fkey)
-- app_private.idempotency_keys (idempotency_keys_user_id_fkey)
-- app_private.identities (identities_user_id_fkey)
-- app_private.inbox_changes (inbox_changes_user_id_fkey)
-- app_private.mail_outbox (mail_outbox_user_id_fkey)
-- app_private.sessions (sessions_user_id_fkey)
-- app_private.sign_in_networks (sign_in_networks_user_id_fkey)
-- app_private.trashed_reasons (trashed_reasons_reporter_id_fkey)
-- app_private.unfollows (unfollows_author_id_fkey)
-- app_public.bans (bans_banned_by_id_fkey)
-- app_public.bans (bans_user_id_fkey)
-- app_public.blocks (blocks_blocked_id_fkey)
-- app_public.blocks (blocks_blocker_id_fkey)
-- app_public.chat_members (chat_members_user_id_fkey)
-- app_public.chats (chats_creator_id_fkey)
-- app_public.comments (comments_author_id_fkey)
-- app_public.follows (follows_followed_id_fkey)
-- app_public.follows (follows_follower_id_fkey)
-- app_public.inbox_entries (inbox_entries_user_id_fkey)
-- app_public.messages (messages_sender_id_fkey)
-- app_public.notifications (notifications_actor_id_fkey)
-- app_public.notifications (notifications_user_id_fkey)
-- app_public.posts (posts_author_id_fkey)
-- app_public.posts (posts_scheduled_by_id_fkey)
-- app_public.previews (previews_made_by_id_fkey)
-- app_public.report_reasons (report_reasons_reporter_id_fkey)
-- app_public.reports (reports_resolved_by_id_fkey)
-- app_public.trashed_posts (trashed_posts_author_id_fkey)
-- app_public.trashed_posts (trashed_posts_deleted_by_id_fkey)
-- rollups.follower_levels (follower_levels_author_id_fkey)
