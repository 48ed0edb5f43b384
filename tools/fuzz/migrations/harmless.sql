-- a column that admins read
alter table app_public.reports add column weight int;
comment on column app_public.reports.weight is 'How urgent it is.';

-- a column with a constant default
alter table app_public.chat_members add column is_muted boolean not null default false;
comment on column app_public.chat_members.is_muted is 'Whether its messages are silent.';

-- a column that everybody reads
-- dangerous exposed:app_public.posts.subtitle (is readable without a token, and is new)
alter table app_public.posts add column subtitle text;
comment on column app_public.posts.subtitle is 'The line below the headline.';

-- a column that clients write
-- dangerous exposed:app_public.posts.dedication (is readable without a token, and is new)
alter table app_public.posts add column dedication text;
comment on column app_public.posts.dedication is 'For whom it is.';
select conventions.allow_writing('app_public.posts', '{dedication}',
  on_insert => 'app_public.create_post_input', on_update => 'app_public.update_post_input');

-- other descriptions
comment on column app_public.chats.title is 'What it is about.';
comment on column app_public.users.avatar is 'A picture.';

-- a deprecated field
comment on column app_public.users.bio is E'@deprecated Use name.\nA few words.';

-- a function that is renamed in SQL only
alter function app_public.users_email(app_public.users) rename to users_address;
comment on function app_public.users_address(app_public.users) is E'@name email\n@unauthorizedWhenNull\nAn e-mail address.';

-- a table with policies
create table app_public.moods (
  id bigint generated always as identity primary key,
  post_id bigint not null references app_public.posts on delete cascade,
  user_id bigint not null references app_public.users on delete cascade,
  word text not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint moods_word_check check (char_length(word) between 1 and 20)
);
comment on table app_public.moods is 'How a member feels about a post.';
comment on column app_public.moods.id is 'Identifies it.';
comment on column app_public.moods.post_id is 'The post.';
comment on column app_public.moods.user_id is 'The member.';
comment on column app_public.moods.word is 'The mood.';
comment on column app_public.moods.created_at is 'When it was written.';
comment on column app_public.moods.updated_at is 'When it was changed.';
comment on constraint moods_word_check on app_public.moods is 'A mood needs 1 to 20 characters.';
create index on app_public.moods (post_id, id);
create index on app_public.moods (user_id, id);
select conventions.apply_to('app_public.moods', '{word}'), conventions.count_rows('app_public.moods', 'word');
create policy select_own on app_public.moods for select to :API_MEMBER using (user_id = (select app_hidden.viewer_id()));
create policy insert_own on app_public.moods for insert to :API_MEMBER with check (user_id = (select app_hidden.viewer_id()));
grant select, insert (post_id, user_id, word) on app_public.moods to :API_MEMBER;

-- a table with a stream
create table app_public.signs (id bigint generated always as identity primary key, post_id bigint not null references app_public.posts on delete cascade);
comment on table app_public.signs is E'@subscription signAdded post_id\nA sign below a post.';
comment on column app_public.signs.id is 'Identifies it.';
comment on column app_public.signs.post_id is 'The post.';
create index on app_public.signs (post_id, id);
select conventions.apply_to('app_public.signs'), change_feed.stream('app_public.signs', 'post_id');
create policy select_visible on app_public.signs for select to :API_MEMBER using (exists (select from app_public.posts where posts.id = signs.post_id offset 0));
grant select on app_public.signs to :API_MEMBER;

-- a table that the API does not have
create table app_private.lists (id bigint generated always as identity primary key, words text[] not null default '{}');
comment on table app_private.lists is 'Lists of words.';
comment on column app_private.lists.id is 'Identifies it.';
comment on column app_private.lists.words is 'The words.';
select conventions.apply_to('app_private.lists', is_audited => false);

-- a view with the rights of its reader
-- dangerous exposed:app_public.headlines (is readable without a token, and is new)
create view app_public.headlines as select id, title from app_public.posts where is_public;
alter view app_public.headlines owner to :API_MEMBER;
comment on view app_public.headlines is 'Titles of published posts.';
comment on column app_public.headlines.id is 'Identifies it.';
comment on column app_public.headlines.title is 'The headline.';
grant select on app_public.headlines to :API_ANONYMOUS, :API_MEMBER;

-- a materialised view, with its own waiver
-- allow: views_apply_policies:app_public.posts_a_day because it has numbers of published posts only
-- allow: exposed:app_public.posts_a_day because everybody may know them
create materialized view app_private.counted_posts as
  select published_at::date as day, count(*)::int as posts from app_public.posts where is_public group by 1;
comment on materialized view app_private.counted_posts is 'Posts of each day.';
create view app_public.posts_a_day as select day, posts from app_private.counted_posts;
comment on view app_public.posts_a_day is E'@behavior -connection\nPosts of each day.';
comment on column app_public.posts_a_day.day is 'The day.';
comment on column app_public.posts_a_day.posts is 'How many were published.';
grant select on app_public.posts_a_day to :API_ANONYMOUS, :API_MEMBER;

-- a computed column
create function app_public.posts_shouted(post app_public.posts) returns text language sql stable as $$ select upper(post.title) $$;
comment on function app_public.posts_shouted is 'The title, louder.';
grant execute on function app_public.posts_shouted to :API_ANONYMOUS, :API_MEMBER;

-- a query
create function app_public.oldest_users() returns setof app_public.users language sql stable as 'select * from app_public.users order by id';
comment on function app_public.oldest_users is 'Users, the first ones first.';
grant execute on function app_public.oldest_users to :API_ANONYMOUS, :API_MEMBER;

-- a mutation
create function app_public.wave(user_id bigint) returns text language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
begin
  return 'hello, ' || (select name from app_public.users where id = user_id);
end $$;
comment on function app_public.wave is 'Waves.';
grant execute on function app_public.wave to :API_MEMBER;

-- a definer function that nobody else may call
create function app_private.emails() returns setof text language sql stable security definer set search_path = pg_catalog, pg_temp as 'select email from app_private.accounts';
comment on function app_private.emails is 'All of them.';

-- a function with another body
-- dangerous change-behaviour:app_hidden.errands_left (it has another body)
create or replace function app_hidden.errands_left() returns bigint language sql stable as 'select count(*) from app_private.errands where not is_done and note is null';

-- an index that goes
-- dangerous require-concurrent-index-deletion:app_private.errands_title_idx ()
drop index if exists app_private.errands_title_idx;

-- a value of an enum
-- dangerous value-added-to-enum:PostStatus.ARCHIVED (ARCHIVED)
select app_hidden.add_value('app_public.post_status', 'ARCHIVED', 'Visible to its author only.');

-- an enum and a domain
create type app_public.size as enum ('SMALL', 'LARGE');
comment on type app_public.size is E'@describe SMALL Small.\n@describe LARGE Large.\nA size.';
create domain app_private.percentage as int check (value between 0 and 100);

-- a foreign key of few rows, with a partial index
-- dangerous exposed:app_public.posts.editor_id (is readable without a token, and is new)
-- dangerous require-concurrent-index-creation:app_public.posts ()
alter table app_public.posts add column editor_id bigint;
alter table app_public.posts add constraint posts_editor_id_fkey foreign key (editor_id) references app_public.users not valid;
create index posts_editor_id_idx on app_public.posts (editor_id) where editor_id is not null;
comment on column app_public.posts.editor_id is 'Who has read it first.';
comment on constraint posts_editor_id_fkey on app_public.posts is E'@foreignFieldName editedPosts\n@behavior -manyRelation:resource:list -manyRelation:resource:connection';

-- a check of new rows
-- dangerous create-constraint:messages_lines_check on app_public.messages (NOT VALID)
alter table app_public.messages add constraint messages_lines_check check (text !~ '\n{50}') not valid;
comment on constraint messages_lines_check on app_public.messages is 'A message has no fifty empty lines.';

-- the same check for the rows that there are
-- dangerous change-behaviour:errands_note_check on app_private.errands (NOT VALID)
alter table app_private.errands validate constraint errands_note_check;

-- a column of one's own goes
-- dangerous drop-column:app_public.posts.mood (is dropped)
-- The trigger _200_validate depends on it, and is written again after the migration.
alter table app_public.posts drop column mood cascade;

-- a column of one's own gets another name
-- dangerous renaming-column:app_public.posts ()
alter table app_public.posts rename column weather to sky;

-- a table of one's own goes, with what conventions.apply_to() has made for it
-- dangerous drop-table:app_private.parcels (is dropped)
drop table app_private.parcels;

-- a function of one's own goes
drop function app_hidden.errands_done;

-- a longer varchar
alter table app_private.errands alter column title type varchar(80);

-- a policy, dropped and created as it was
drop policy if exists select_own on app_public.posts;
create policy select_own on app_public.posts for select to :API_MEMBER using (author_id = (select app_hidden.viewer_id()) and status is distinct from 'TRASHED');

-- a constraint, dropped and created as it was
-- dangerous constraint-missing-not-valid:app_public.users (VALIDATE CONSTRAINT)
alter table app_public.users drop constraint if exists users_name_length_check;
alter table app_public.users add constraint users_name_length_check check (char_length(name) between 1 and 100) not valid;
alter table app_public.users validate constraint users_name_length_check;
comment on constraint users_name_length_check on app_public.users is 'A name needs between 1 and 100 characters.';

-- other names of a policy, a constraint and an index
alter policy insert_own on app_public.comments rename to insert_mine;
alter table app_public.follows rename constraint follows_pkey to follows_key;

-- settings of tables
alter table app_public.chats set (fillfactor = 70);
alter table app_private.sessions set (autovacuum_vacuum_scale_factor = 0.05);
alter table app_public.posts alter column title set statistics 200;
create statistics app_public.posts_statistics on author_id, status from app_public.posts;

-- a job that fills a column in batches
insert into app_private.jobs (name, statement) values ('errand_notes',
  $$select * from app_private.update_in_batches('errand_notes', 'app_private.errands', 'note = title', $1, 'note is null')$$);

-- a job that deletes what is old
insert into app_private.jobs (name, every, statement) values ('old_errands', '1 hour',
  $$select * from app_private.delete_expired('app_private.errands', 'updated_at', '90 days', $1)$$);

-- some rows, which the sample content does not have
-- dangerous not-counted:app_private.errands (no sample row fits)
update app_private.errands set is_done = true where note is not null;
delete from app_private.errands where is_done;
insert into app_private.errands (post_id, title) select min(id), 'Read it again' from app_public.posts having count(*) > 0;

-- a trigger of one's own
-- dangerous create-trigger:_100_tidy on app_private.errands (BEFORE INSERT)
create function app_hidden.tg_errands__tidy() returns trigger language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  new.note := nullif(new.note, '');
  return new;
end $$;
comment on function app_hidden.tg_errands__tidy is 'Before an errand is written.';
create trigger _100_tidy before insert on app_private.errands for each row execute function app_hidden.tg_errands__tidy();

-- a view for analysts
create view analytics.titles_by_length with (security_barrier) as
  select char_length(title) as length, count(*) as posts from app_public.posts where is_public group by 1;
comment on view analytics.titles_by_length is 'Published posts by the length of their titles. Key: length.';
comment on column analytics.titles_by_length.length is 'The length.';
comment on column analytics.titles_by_length.posts is 'How many posts have it.';
grant select on analytics.titles_by_length to analyst;

-- a view that analysts should not use any more
comment on view analytics.threads_by_month is 'Deprecated: use comments_by_author_and_day.';

-- the language of the search
-- dangerous change-behaviour:app_hidden.search_language (it has another body)
select app_private.set_search_language('english');

-- a default of a column of one's own
-- dangerous change-default:app_private.errands.note (it is default ''::text)
alter table app_private.errands alter column note set default '';
