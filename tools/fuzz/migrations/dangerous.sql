-- anybody gets the e-mail address of an account
-- dangerous definer-function:app_public.email_of (may be called without a token, and reads app_private.accounts.email)
create function app_public.email_of(user_id bigint) returns text language sql stable security definer set search_path = pg_catalog, pg_temp
  as $$ select email from app_private.accounts where accounts.user_id = email_of.user_id $$;
comment on function app_public.email_of is 'An e-mail address.';
grant execute on function app_public.email_of to :API_ANONYMOUS, :API_MEMBER;

-- members get the title of a draft
-- dangerous definer-function:app_public.title_of (may be called by members, and reads app_public.posts.id, app_public.posts.title)
create function app_public.title_of(post_id bigint) returns text language plpgsql stable security definer set search_path = pg_catalog, pg_temp
  as $$ begin return (select title from app_public.posts where id = post_id); end $$;
comment on function app_public.title_of is 'A title.';
grant execute on function app_public.title_of to :API_MEMBER;

-- the phone number of each user
-- dangerous exposed:app_public.users.phone (is readable without a token, and is new)
alter table app_public.users add column phone text;
comment on column app_public.users.phone is 'A phone number.';

-- a policy that shows the comments on drafts
-- dangerous create-policy:everybody on app_public.comments (for select, permissive, to api_anonymous, using true)
create policy everybody on app_public.comments for select to :API_ANONYMOUS using (true);

-- posts are public unless somebody says otherwise
-- dangerous change-default:app_public.posts.status (it is default 'PUBLISHED'::app_public.post_status, and was default 'DRAFT')
alter table app_public.posts alter column status set default 'PUBLISHED';

-- a right on the accounts
-- dangerous change-behaviour:app_private.accounts (api_anonymous may select)
grant select on app_private.accounts to :API_ANONYMOUS;

-- reports for all members
-- dangerous exposed:app_public.reports (is readable by members, and was readable by admins)
create policy everybody on app_public.reports for select to :API_MEMBER using (true);

-- a table without its policies
-- refused disable-row-level-security:app_public.messages (without row-level security)
alter table app_public.messages disable row level security;

-- a view that reads drafts as its owner
-- refused views_apply_policies:app_public.titles (breaks the rule)
create view app_public.titles as select id, title from app_public.posts;
comment on view app_public.titles is 'Titles.';
comment on column app_public.titles.id is 'Identifies it.';
comment on column app_public.titles.title is 'The title.';
grant select on app_public.titles to :API_ANONYMOUS, :API_MEMBER;

-- a function that everybody may run
-- refused functions_are_not_public:app_private.forget(bigint) (breaks the rule)
create function app_private.forget(user_id bigint) returns void language sql volatile as 'delete from app_private.sessions where sessions.user_id = $1';
grant execute on function app_private.forget to public;

-- a policy for every role that there will be
-- refused policies_name_their_roles:everybody on app_public.chats (breaks the rule)
create policy everybody on app_public.chats for select using (is_direct);

-- a policy with another name and another meaning
-- dangerous alter-policy:select_as_member on app_public.messages (it is using true)
alter policy select_as_member on app_public.messages rename to select_mine;
alter policy select_mine on app_public.messages using (true);

-- a description without the smart tag that was in it
-- dangerous change-behaviour:app_public.users_email (it is tagged nothing, and was tagged @unauthorizedWhenNull)
comment on function app_public.users_email is 'An e-mail address.';

-- a policy that hides published posts from the lists and not from the numbers
-- refused posts_are_hidden_by_status:select_public on app_public.posts (breaks the rule)
alter policy select_public on app_public.posts using (is_public and title <> 'Hidden');

-- a stored generated column
-- refused rewrite:app_public.posts (All rows of app_public.posts are written anew)
alter table app_public.posts add column shouted text generated always as (upper(title)) stored;
comment on column app_public.posts.shouted is 'The title, louder.';

-- a default that differs for each row
-- refused rewrite:app_public.tags (All rows of app_public.tags are written anew)
alter table app_public.tags add column code uuid not null default gen_random_uuid();
comment on column app_public.tags.code is 'A code.';

-- another type
-- refused rewrite:app_private.post_reads (All rows of app_private.post_reads are written anew)
alter table app_private.post_reads alter column reads type numeric;

-- a column that each write must give
-- refused adding-required-field:app_public.bans (NOT NULL)
alter table app_public.bans add column days int not null;
comment on column app_public.bans.days is 'How long it lasts.';

-- a column that may be null no more
-- dangerous adding-not-nullable-field:app_public.users (NOT NULL)
alter table app_public.users alter column bio set not null;

-- a foreign key that is looked at row by row, under a lock of both tables
-- dangerous adding-foreign-key-constraint:app_public.notifications (foreign key)
alter table app_public.notifications add column tag_id bigint;
alter table app_public.notifications add constraint notifications_tag_id_fkey foreign key (tag_id) references app_public.tags;
create index notifications_tag_id_idx on app_public.notifications (tag_id);
comment on column app_public.notifications.tag_id is 'The tag.';

-- a check of all rows
-- dangerous constraint-missing-not-valid:app_public.messages (constraint)
alter table app_public.messages add constraint messages_odd_check check (text <> 'odd');
comment on constraint messages_odd_check on app_public.messages is 'No odd messages.';

-- a unique constraint
-- dangerous disallowed-unique-constraint:app_public.users (UNIQUE)
alter table app_public.users add constraint users_avatar_key unique (avatar);
comment on constraint users_avatar_key on app_public.users is 'Another user has this picture.';

-- an update of all rows
-- dangerous update-all-rows:app_public.comments (All rows of app_public.comments are updated)
update app_public.comments set text = normalize(text);

-- truncate, in a do-statement
-- refused truncate:app_public.follows (app_public.follows is truncated)
do $$ begin execute 'truncate app_public.follows'; end $$;

-- delete of all rows, with a condition
-- refused delete-all-rows:app_public.notifications (All rows of app_public.notifications are deleted)
delete from app_public.notifications where true;

-- a table with its rows
-- dangerous drop-table:app_private.unfollows (is dropped)
drop table app_private.unfollows cascade;

-- a published column with its values
-- dangerous drop-column:app_public.users.bio (is dropped)
-- refused field-removed:User.bio (is published, and this migration removes it)
alter table app_public.users drop column bio cascade;

-- a function that the running release calls
-- refused running-version:app_private.is_verified (is no longer there)
drop function app_private.is_verified;

-- a right that the running release needs
-- refused running-version:app_private.count_rate_limited_calls (a right is revoked)
do $$ begin execute format('revoke execute on function %s from :API_LOGIN', 'app_private.count_rate_limited_calls'::regproc::oid::regprocedure); end $$;

-- a column that functions name
-- refused broken-function:app_public.create_chat (does not work)
-- refused field-removed:Chat.title (is published, and this migration removes it)
alter table app_public.chats rename column title to heading;

-- a view of the analysts
-- refused view-removed:analytics.threads_by_month (is published)
drop view analytics.threads_by_month;

-- a rule that rows obey
-- dangerous drop-constraint:tags_name_length_check on app_public.tags (which was CHECK)
alter table app_public.tags drop constraint tags_name_length_check;

-- a trigger that tells subscribers
-- dangerous drop-trigger:_100_prepare on app_public.posts (which was CREATE TRIGGER)
drop trigger _100_prepare on app_public.posts;
