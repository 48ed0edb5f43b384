--! Previous: sha1:0a41332fbe7480a9aeb90e093b72a399f8f41b5e
--! Hash: sha1:d51bca10deedf265d449438528be77ea8d907fbe
--! Message: the trash takes reports of comments along

--! split: 100-trash.sql

-- allow: rewrite:app_private.trashed_reasons because the table is new with this release
-- allow: change-behaviour:trashed_reasons_pkey on app_private.trashed_reasons because a user may report a post and its comments
-- allow: constraint-missing-not-valid:app_private.trashed_reasons because the table is new with this release
-- allow: adding-foreign-key-constraint:app_private.trashed_reasons because the table is new with this release
-- allow: require-concurrent-index-creation:app_private.trashed_reasons because the table is new with this release
-- allow: alter-policy:select_by_right on app_public.post_revisions because no post in the trash is seen, and so none of its revisions
-- allow: change-behaviour:app_hidden.add_report because it waits for who deletes or restores the post
-- allow: change-behaviour:app_hidden.trash_post because the reports of comments go with their post
-- allow: change-behaviour:app_hidden.take_from_trash because a trigger does the rest, for SQL too
-- allow: change-behaviour:app_hidden.tg_posts__prepare because only a post that enters or leaves the trash is written otherwise
-- allow: change-behaviour:app_hidden.tg_posts__find_words because only a post in the trash has no words
-- allow: change-behaviour:app_private.index_posts because only a post in the trash has no words
-- allow: change-behaviour:app_private.check_derived_data because it knows the trash
-- allow: change-behaviour:app_private.repair_derived_data because it knows the trash
-- allow: change-behaviour:app_hidden.tg_posts__review because only a post that nobody in particular publishes or returns is notified of anew
-- allow: create-trigger:_500_leave_trash on app_public.posts because it acts when a post leaves the trash
-- allow: definer-function:app_hidden.add_report because it shows nothing of what it locks
-- allow: definer-function:app_hidden.trash_post because it asks whose post it is
-- What trash and review have left over: reports of comments, revisions, places among the rows that a search looks at, and what a DBA does by hand.
-- Revisions are seen with their post: editors saw those of posts in the trash.
alter policy select_by_right on app_public.post_revisions using (
  (select app_hidden.viewer_may('EDIT_ANY_POST')) and exists (select from app_public.posts where posts.id = post_id offset 0));

-- A post takes the open reports of its comments along.
alter table app_private.trashed_reasons add column if not exists comment_id bigint;
comment on column app_private.trashed_reasons.comment_id is $$The comment on the post, of a report of a comment; null for a report of the post.$$;
alter table app_private.trashed_reasons add column if not exists id bigint generated always as identity;
comment on column app_private.trashed_reasons.id is $$The id.$$;
alter table app_private.trashed_reasons drop constraint if exists trashed_reasons_pkey;
alter table app_private.trashed_reasons add constraint trashed_reasons_pkey primary key (id);
alter table app_private.trashed_reasons drop constraint if exists trashed_reasons_comment_id_fkey;
alter table app_private.trashed_reasons add constraint trashed_reasons_comment_id_fkey foreign key (comment_id) references app_public.comments on delete cascade;
create index if not exists trashed_reasons_comment_id_idx on app_private.trashed_reasons (comment_id);
create index if not exists trashed_reasons_post_id_idx on app_private.trashed_reasons (post_id);
comment on table app_private.trashed_reasons is $$The reasons of open reports of posts in the trash, and of their comments. restore_post() opens the reports again: deleting a post is no way to lose its reports.$$;
--! Included functions/moderation/add_report.sql
-- Security definer: reporters do not see reports.
create or replace function app_hidden.add_report(thing text, id bigint, reason text) returns app_public.action_result
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_post_id bigint := case thing when 'post' then add_report.id end;
  v_comment_id bigint := case thing when 'comment' then add_report.id end;
  v_message_id bigint := case thing when 'message' then add_report.id end;
  v_report_id bigint;
begin
  -- A post that somebody deletes or restores takes its reports along.
  perform from app_public.posts
   where posts.id = coalesce(v_post_id, (select post_id from app_public.comments where comments.id = v_comment_id)) for key share;
  insert into app_public.reports (post_id, comment_id, message_id) values (v_post_id, v_comment_id, v_message_id) on conflict do nothing;
  -- Locked, so that it is not deleted before it has this reason.
  select reports.id into strict v_report_id from app_public.reports
   where post_id = v_post_id or comment_id = v_comment_id or message_id = v_message_id for update;
  insert into app_public.report_reasons (report_id, reporter_id, reason)
  values (v_report_id, app_hidden.viewer_id(), add_report.reason)
  on conflict do nothing;
  return (true, format('The %s is reported.', thing));
exception when foreign_key_violation or no_data_found then
  perform app_hidden.refuse_missing(thing);
end $$;
comment on function app_hidden.add_report(text, bigint, text) is $$Adds the viewer’s reason to the report of a post, comment or message. The caller asks whether the viewer sees it. The first reason of a user stays.$$;
grant execute on function app_hidden.add_report(text, bigint, text) to :API_MEMBER;
--! EndIncluded functions/moderation/add_report.sql
-- Not made again: it may have been changed.
comment on function app_hidden.trash_days() is $$How many days a deleted post can be restored: 36,500 at most, and for null; 0 deletes it at once. Yours to change, in a migration.$$;
--! Included functions/trash/trash_post.sql
-- Security definer: nobody writes the trash but by deleting a post.
create or replace function app_hidden.trash_post(id bigint) returns void
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_report_ids bigint[];
begin
  insert into app_public.trashed_posts (id, author_id, title, content, status, tags, slug, published_at, publish_at, expires_at, deleted_by_id)
  select posts.id, author_id, title, content, status,
         array(select tags.name from app_public.post_tags join app_public.tags on tags.id = tag_id where post_id = posts.id order by position),
         slug, published_at, publish_at, now() + make_interval(days => least(app_hidden.trash_days(), 36500)), app_hidden.viewer_id()
    from app_public.posts
   where posts.id = trash_post.id and status <> 'TRASHED'
     and (author_id = app_hidden.viewer_id() or app_hidden.viewer_may('EDIT_ANY_POST'));
  if not found then
    perform app_hidden.refuse_unauthorized();
  end if;
  delete from app_public.post_tags where post_id = trash_post.id;
  -- A slug that no title has: the former one is free.
  update app_public.posts set status = 'TRASHED', publish_at = null, slug = gen_random_uuid()::text where posts.id = trash_post.id;
  -- Afterwards: the update has waited for those who report, and others wait for it.
  v_report_ids := array(
    select reports.id from app_public.reports
     where status = 'OPEN' and (post_id = trash_post.id or comment_id = any (array(select comments.id from app_public.comments where post_id = trash_post.id)))
     order by reports.id for update);
  insert into app_private.trashed_reasons (post_id, comment_id, reporter_id, reason, created_at)
  select trash_post.id, comment_id, reporter_id, reason, report_reasons.created_at
    from app_public.reports join app_public.report_reasons on report_id = reports.id
   where reports.id = any (v_report_ids);
  delete from app_public.reports where reports.id = any (v_report_ids);
end $$;
comment on function app_hidden.trash_post(bigint) is $$Moves a post of the viewer’s, or with the right EDIT_ANY_POST any post, into the trash: hidden by its status, without its tags and open reports, which restore_post() brings back.$$;
grant execute on function app_hidden.trash_post(bigint) to :API_MEMBER;

create or replace function app_private.purge_trash(batch int, out is_complete boolean, out rows int)
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
begin
  delete from app_public.posts where id = any (array(
    select posts.id from app_public.trashed_posts join app_public.posts on posts.id = trashed_posts.id
     where expires_at < now() and posts.status = 'TRASHED' order by expires_at limit batch for update of posts skip locked));
  get diagnostics rows = row_count;
  is_complete := rows < batch;
end $$;
comment on function app_private.purge_trash(int) is $$A job: deletes posts whose time in the trash has come, with their comments.$$;
--! EndIncluded functions/trash/trash_post.sql
--! Included functions/trash/restore_post.sql
create or replace function app_hidden.slug_after_trash(post app_public.posts) returns text
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
declare
  v_slug text := (select slug from app_public.trashed_posts where id = post.id);
begin
  -- free_slug() only tries this lock, and gives the slug to nobody meanwhile.
  perform pg_advisory_xact_lock(hashtext('app_public.posts.slug'), hashtext(v_slug));
  return case when v_slug is null or exists (select from app_public.posts where slug = v_slug) then app_hidden.free_slug(post) else v_slug end;
end $$;
comment on function app_hidden.slug_after_trash(app_public.posts) is $$The slug that a post had before it was deleted, unless another one has it now.$$;

-- Security definer: nobody writes tags and reports.
create or replace function app_hidden.tg_posts__leave_trash() returns trigger
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform app_hidden.set_post_tags(new.id, tags) from app_public.trashed_posts where id = new.id;
  insert into app_public.reports (post_id, comment_id, created_at)
  select case when comment_id is null then new.id end, comment_id, min(created_at) from app_private.trashed_reasons where post_id = new.id group by comment_id
  on conflict do nothing;
  insert into app_public.report_reasons (report_id, reporter_id, reason, created_at)
  select reports.id, reporter_id, reason, given.created_at
    from app_private.trashed_reasons as given
    join app_public.reports on case when given.comment_id is null then reports.post_id = new.id else reports.comment_id = given.comment_id end
   where given.post_id = new.id
  on conflict do nothing;
  delete from app_public.trashed_posts where id = new.id;
  return null;
end $$;
comment on function app_hidden.tg_posts__leave_trash() is $$After a post gets another status than TRASHED, by restore_post() or in SQL: brings its tags and open reports back.$$;

-- Security definer: nobody sees a post in the trash.
create or replace function app_hidden.take_from_trash(id bigint) returns boolean
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_trashed app_public.trashed_posts;
  v_post app_public.posts;
begin
  select * into v_post from app_public.posts where posts.id = take_from_trash.id and status = 'TRASHED' for update;
  select * into v_trashed from app_public.trashed_posts
   where trashed_posts.id = v_post.id and (author_id = app_hidden.viewer_id() or app_hidden.viewer_may('EDIT_ANY_POST'));
  if not found then
    return false;
  end if;
  -- Else an author would undo what a moderator has done.
  if v_trashed.deleted_by_id is distinct from app_hidden.viewer_id() and not app_hidden.viewer_may('EDIT_ANY_POST') then
    perform app_hidden.refuse_unauthorized();
  end if;
  update app_public.posts
     set status = v_trashed.status, published_at = v_trashed.published_at,
         publish_at = case when v_trashed.publish_at > now() then v_trashed.publish_at end
   where posts.id = v_post.id;
  return true;
end $$;
comment on function app_hidden.take_from_trash(bigint) is $$Brings a post of the viewer’s, or with the right EDIT_ANY_POST any post, back from the trash. False when there is none.$$;
grant execute on function app_hidden.take_from_trash(bigint) to :API_MEMBER;

create or replace function app_public.restore_post(id bigint) returns app_public.posts
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
declare
  v_post app_public.posts;
begin
  if not app_hidden.take_from_trash(restore_post.id) then
    perform app_hidden.refuse_missing('trashed post');
  end if;
  select * into v_post from app_public.posts where posts.id = restore_post.id;
  return v_post;
end $$;
comment on function app_public.restore_post(bigint) is $$@describe id The post, of trashedPosts.
Brings a deleted post of yours back as it was: with its comments, tags and status, and with its slug unless another post has it now. A post of yours that somebody else has deleted: UNAUTHORIZED without the right EDIT_ANY_POST. A time for publication that has passed meanwhile is left out.$$;
grant execute on function app_public.restore_post(bigint) to :API_MEMBER;
--! EndIncluded functions/trash/restore_post.sql
--! Included functions/posts/tg_posts__prepare.sql
create or replace function app_hidden.tg_posts__prepare() returns trigger
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_is_new boolean := tg_op = 'INSERT';
  v_is_scheduled_now boolean := v_is_new or new.publish_at is distinct from old.publish_at;
begin
  -- trash_post() writes the row of the trash first, and nobody else may.
  if new.status = 'TRASHED' and (v_is_new or old.status <> 'TRASHED') then
    if not exists (select from app_public.trashed_posts where trashed_posts.id = new.id) then
      perform conventions.raise_validation_errors(jsonb_build_array(jsonb_build_object('column', 'status',
        'code', 'USE_DELETE_POST', 'message', 'A post is moved to the trash by deletePost.')));
    end if;
  end if;

  if (new.status = 'PUBLISHED' or new.publish_at is not null) and row_security_active('app_public.posts') then
    if not app_hidden.viewer_may('PUBLISH') then
      perform app_hidden.refuse_unauthorized('MAY_NOT_PUBLISH',
        'Your role may not publish, and changes no published post. Submit the post, with the status SUBMITTED; of a published one, save a working copy.');
    end if;
  end if;

  -- The slug and the excerpt are made of the texts as they will be stored.
  new.title := conventions.normal_text(new.title, 200, true);
  new.excerpt := conventions.normal_text(new.excerpt, 200);
  new.content := conventions.normal_text(new.content, 100000);

  -- A generated excerpt follows the content; until 2026, it was the beginning with its marks. An excerpt that the author wrote stays, until the author writes a blank one.
  if new.excerpt is null or new.excerpt !~ '\S'
     or (not v_is_new and new.excerpt = old.excerpt and old.excerpt in (app_hidden.made_excerpt(old.content), app_hidden.start_of(old.content))) then
    new.excerpt := coalesce(app_hidden.made_excerpt(new.content), '');
  end if;

  if new.publish_at <= now() then
    -- Due since then, also if it is published later. Nobody can publish a post in the past.
    if new.status <> 'PUBLISHED' and not v_is_scheduled_now then
      new.published_at := new.publish_at;
    end if;
    new.status := 'PUBLISHED';
    new.publish_at := null;
  elsif new.status = 'PUBLISHED' and not v_is_scheduled_now then
    new.publish_at := null;
  end if;

  if v_is_new then
    new.slug := coalesce(new.slug, app_hidden.free_slug(new));
  elsif old.status = 'TRASHED' and new.status <> 'TRASHED' and new.slug = old.slug then
    new.slug := app_hidden.slug_after_trash(new);
  -- The slug stays after the first publication, because readers may have a link.
  elsif old.first_published_at is not null and 'TRASHED' not in (old.status, new.status) then
    new.slug := old.slug;
  -- A slug that was written in SQL stays as well. A generated slug of a draft ends in the id.
  elsif new.slug = old.slug and old.slug ~ ('-' || old.id || '$')
        and (new.status = 'PUBLISHED' or new.title <> old.title) then
    new.slug := app_hidden.free_slug(new);
  end if;

  new.queue := case when new.status = 'SUBMITTED' then 1 end;

  -- Only PUBLISHED is named, so that a status added later is as private as a draft.
  if new.status <> 'PUBLISHED' then
    new.published_at := null;
  elsif v_is_new or old.status <> 'PUBLISHED' then
    new.published_at := coalesce(new.published_at, now());
  end if;
  new.first_published_at := case when v_is_new then coalesce(new.first_published_at, new.published_at)
                                 else coalesce(old.first_published_at, new.published_at) end;

  if not v_is_new and (new.title, new.content, new.excerpt, new.status, new.slug, new.publish_at)
       is distinct from (old.title, old.content, old.excerpt, old.status, old.slug, old.publish_at) then
    -- Later than before, even if the clock has been set back: clients compare it to find changes.
    new.updated_at := greatest(clock_timestamp(), old.updated_at + interval '1 microsecond');
  end if;
  return new;
end $$;
comment on function app_hidden.tg_posts__prepare() is $$Before a post is written: sets slug, excerpt and times, for the API and SQL alike.$$;
--! EndIncluded functions/posts/tg_posts__prepare.sql
drop trigger if exists _500_leave_trash on app_public.posts;
create trigger _500_leave_trash after update on app_public.posts
  for each row when (old.status = 'TRASHED' and new.status <> 'TRASHED') execute function app_hidden.tg_posts__leave_trash();
comment on trigger _500_leave_trash on app_public.posts is $$After a post gets another status than TRASHED: brings its tags and open reports back.$$;

--! Included functions/search/post_words.sql
create or replace function app_hidden.html_text(given text) returns text
language sql immutable parallel safe
return replace(replace(replace(replace(replace(given, '&', '&amp;'), '<', '&lt;'), '>', '&gt;'), '"', '&quot;'), '''', '&#39;');
comment on function app_hidden.html_text(text) is $$The text in HTML: no character of it is markup.$$;
grant execute on function app_hidden.html_text(text) to :API_ANONYMOUS, :API_MEMBER;

-- The number grows with the rules of conventions.search_letters(), so that maintenance finds all words anew.
create or replace function app_hidden.word_form() returns text
language sql stable parallel safe
return app_hidden.search_language()::text || ' 2';
comment on function app_hidden.word_form() is $$The language of the search and the number of its form: how the words of a post were found.$$;

-- A word is with exact as it is written, with folded in another form. What is written otherwise than its form is a further word.
-- A word of more than 2,046 bytes is left out, with a notice that nobody needs.
create or replace function app_hidden.weighed_words(text text, exact "char", folded "char") returns tsvector
language plpgsql stable parallel safe set search_path = pg_catalog, pg_temp set client_min_messages = 'warning' as $$
declare
  v_letters text := conventions.search_letters(text);
  v_exact_letters text := conventions.search_letters(text, keeps_accents => true);
  v_words tsvector := to_tsvector(app_hidden.search_language(), left(conventions.search_words(v_letters), 180000));
  v_compounds tsvector := setweight(to_tsvector(app_hidden.search_language(), conventions.search_compounds(v_letters)), folded);
  v_exact tsvector;
begin
  if v_letters = v_exact_letters then
    return setweight(v_words, exact) || v_compounds;
  end if;
  v_exact := to_tsvector(app_hidden.search_language(), left(conventions.search_words(v_exact_letters), 180000));
  return setweight(setweight(v_words, folded), exact, tsvector_to_array(v_exact)) || v_compounds
      || setweight(ts_delete(v_exact, tsvector_to_array(v_words)), exact);
end $$;
comment on function app_hidden.weighed_words(text, "char", "char") is $$The words of a text in the search form, with a weight for those that are written so and one for all others.$$;
grant execute on function app_hidden.weighed_words(text, "char", "char") to :API_ANONYMOUS, :API_MEMBER;

-- A headline counts more than the text: A and B are its words, C and D those of the content.
create or replace function app_hidden.words_in(title text, content text) returns tsvector
language sql stable parallel safe
return app_hidden.weighed_words(title, 'A', 'B') || app_hidden.weighed_words(app_hidden.plain_text(content), 'C', 'D');
comment on function app_hidden.words_in(text, text) is $$The words of a post, as the search finds them.$$;

-- Two words are similar if they are equal without one letter of either, or of both: a letter is missing, too many, another one, or two have
-- changed places. An index of these finds similar words by equality, so PostgreSQL looks at no other row. The first letter of a short word stays.
--
-- In PL/pgSQL, which plans once in a session: PostgreSQL 15 to 17 plan a function in SQL for each statement.
create or replace function app_hidden.similar_words(word text) returns text[]
language plpgsql immutable parallel safe set search_path = pg_catalog, pg_temp as $$
declare
  v_words text[] := array[word];
begin
  if char_length(word) between 4 and 30 and (octet_length(word) = char_length(word) or word !~ ('[' || conventions.unspaced_scripts() || ']')) then
    for v_place in case when char_length(word) < 6 then 2 else 1 end .. char_length(word) loop
      v_words := v_words || (left(word, v_place - 1) || substr(word, v_place + 1));
    end loop;
  end if;
  return v_words;
end $$;
comment on function app_hidden.similar_words(text) is $$The word, and the word without each of its letters.$$;

create or replace function app_hidden.title_words(form text) returns tsvector
language plpgsql immutable parallel safe set search_path = pg_catalog, pg_temp as $$
begin
  return array_to_tsvector(array(select distinct variant from string_to_table(form, ' ') as word, unnest(app_hidden.similar_words(word)) as variant where variant <> ''));
end $$;
comment on function app_hidden.title_words(text) is $$The words of a title in the search form, and the words that are similar.$$;

-- The four longest words: each has some twenty places in the index. A long word may also end in another way.
create or replace function app_hidden.similar_query(form text) returns tsquery
language sql immutable parallel safe
return (
  select string_agg('(' || variants || ')', ' & ')::tsquery
    from (select (select string_agg(quote_literal(w), ' | ') from unnest(app_hidden.similar_words(word)) as w)
              || case when char_length(word) >= 6 then ' | ' || quote_literal(left(word, ceil(char_length(word) * 0.7)::int)) || ':*' else '' end as variants
            from (select distinct word, char_length(word) as length from string_to_table(form, ' ') as word
                   where char_length(word) > 2 or word ~ ('^[' || conventions.unspaced_scripts() || ']{2}$')
                   order by length desc, word limit 4) as words) as words);
comment on function app_hidden.similar_query(text) is $$Finds titles with words that are similar to the longest of these, or begin alike. Null without a word of three letters.$$;

-- Among the rows that a search looks at, a post in the trash would take the place of another one.
create or replace function app_hidden.post_to_search(post app_public.posts) returns app_public.posts
language plpgsql immutable parallel safe set search_path = pg_catalog, pg_temp as $$
begin
  if post.status = 'TRASHED' then
    post.title := '';
    post.content := '';
  end if;
  return post;
end $$;
comment on function app_hidden.post_to_search(app_public.posts) is $$The post with the texts that a search finds: with none in the trash.$$;

-- Security definer: nobody may write words. A post without words, which index_posts() has not reached, gets none here: index_posts() goes
-- on below the lowest post that has words. Without enable_seqscan, a plan from when one of the parts was small would read all of it for each post.
create or replace function app_hidden.tg_posts__find_words() returns trigger
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off set jit = off as $$
declare
  v_title text;
begin
  new := app_hidden.post_to_search(new);
  old := app_hidden.post_to_search(old);
  if tg_op = 'INSERT' then
    v_title := conventions.search_form(new.title);
    insert into app_private.post_words (post_id, author_id, is_public, listed_at, title, title_words, words, language)
    values (new.id, new.author_id, new.is_public, new.listed_at, v_title, app_hidden.title_words(v_title), app_hidden.words_in(new.title, new.content),
            app_hidden.word_form());
  elsif (new.title, new.content) is distinct from (old.title, old.content) then
    v_title := conventions.search_form(new.title);
    update app_private.post_words
       set author_id = new.author_id, is_public = new.is_public, listed_at = new.listed_at, title = v_title, title_words = app_hidden.title_words(v_title),
           words = app_hidden.words_in(new.title, new.content), language = app_hidden.word_form()
     where post_id = new.id;
  elsif (new.author_id, new.is_public, new.listed_at) is distinct from (old.author_id, old.is_public, old.listed_at) then
    update app_private.post_words
       set author_id = new.author_id, is_public = new.is_public, listed_at = new.listed_at
     where post_id = new.id;
  end if;
  return null;
end $$;
comment on function app_hidden.tg_posts__find_words() is $$After a post is written: keeps its words for the search.$$;

-- One post after another, for a second at most: the words of a long text take a tenth of one.
create or replace function app_private.index_posts(batch int, out is_complete boolean, out rows int)
language plpgsql volatile set search_path = pg_catalog, pg_temp set plan_cache_mode = 'force_generic_plan' as $$
declare
  v_until timestamptz := clock_timestamp() + interval '1 second';
  v_form text := app_hidden.word_form();
  v_lowest bigint := (select coalesce(min(post_id), 9223372036854775807) from app_private.post_words);
  v_post app_public.posts;
begin
  rows := 0;
  is_complete := false;
  -- A lock on each post, so that nobody changes it meanwhile.
  for v_post in select * from app_public.posts where id < v_lowest order by id desc limit batch for share loop
    v_post := app_hidden.post_to_search(v_post);
    insert into app_private.post_words (post_id, author_id, is_public, listed_at, title, title_words, words, language)
    select v_post.id, v_post.author_id, v_post.is_public, v_post.listed_at, title, app_hidden.title_words(title),
           app_hidden.words_in(v_post.title, v_post.content), v_form
      from conventions.search_form(v_post.title) as title;
    rows := rows + 1;
    if rows = batch or clock_timestamp() > v_until then
      return;
    end if;
  end loop;
  for v_post in
    select posts.*
      from (select former.post_id from app_private.post_words former where former.language < v_form
             union all
            select former.post_id from app_private.post_words former where former.language > v_form) as former
      join app_public.posts on posts.id = former.post_id
     limit batch for no key update of posts skip locked
  loop
    v_post := app_hidden.post_to_search(v_post);
    update app_private.post_words set title = form, title_words = app_hidden.title_words(form),
           words = app_hidden.words_in(v_post.title, v_post.content), language = v_form
      from conventions.search_form(v_post.title) as form
     where post_id = v_post.id;
    rows := rows + 1;
    if rows = batch or clock_timestamp() > v_until then
      return;
    end if;
  end loop;
  is_complete := true;
end $$;
comment on function app_private.index_posts(int) is $$A job: finds the words of up to batch posts that have none, or those of another language or form. A batch takes about a second at most.$$;
--! EndIncluded functions/search/post_words.sql
--! Included functions/upkeep/check_derived_data.sql
create or replace function app_private.inherited_columns()
returns table (name name, relation regclass, parent regclass, key_is_equal text, copies_differ text, assignments text)
language sql stable set search_path = pg_catalog, pg_temp as $$
  select conname, conrelid::regclass, confrelid::regclass,
         string_agg(format('child.%I = parent.%I', ours.attname, theirs.attname), ' and ') filter (where ordinality = 1),
         string_agg(format('child.%I is distinct from parent.%I', ours.attname, theirs.attname), ' or ' order by ordinality) filter (where ordinality > 1),
         string_agg(format('%I = parent.%I', ours.attname, theirs.attname), ', ' order by ordinality) filter (where ordinality > 1)
    from pg_catalog.pg_constraint
   cross join lateral unnest(conkey, confkey) with ordinality as columns (our_number, their_number, ordinality)
    join pg_catalog.pg_attribute ours on ours.attrelid = conrelid and ours.attnum = our_number
    join pg_catalog.pg_attribute theirs on theirs.attrelid = confrelid and theirs.attnum = their_number
   where contype = 'f' and conname like '%\_inherited\_fkey' and conparentid = 0
   group by conname, conrelid, confrelid
$$;
comment on function app_private.inherited_columns() is $$The copies of another row’s columns, by foreign key, with the parts of the statements that check and repair them.$$;

create or replace function app_private.check_derived_data() returns table (derived text, row_key text)
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  v_copy record;
begin
  for v_copy in select * from app_private.inherited_columns() order by 1 loop
    return query execute format('select $1, to_jsonb(child)::text from %s as child join %s as parent on %s where %s',
      v_copy.relation, v_copy.parent, v_copy.key_is_equal, v_copy.copies_differ) using v_copy.name::text;
  end loop;
  return query
  select 'tags_public_post_fkey', to_jsonb(tags)::text from app_public.tags
   where is_public and not exists (
     select from app_public.post_tags where post_id = public_post_id and tag_id = public_tag_id and post_tags.is_public);
  return query
  select 'conventions.counter_shards', c.counter || ' ' || c.key from conventions.check_counters() c;
  return query
  select 'app_public.trashed_posts', coalesce(posts.id, t.id)::text
    from (select id from app_public.posts where status = 'TRASHED') as posts
    full join app_public.trashed_posts t on t.id = posts.id
   where posts.id is null or t.id is null;
  return query
  select 'app_private.post_words', coalesce(posts.id, w.post_id)::text
    from (select p.* from app_public.posts, lateral app_hidden.post_to_search(posts) as p) as posts
    full join app_private.post_words w on w.post_id = posts.id
   where (w.author_id, w.is_public, w.listed_at, w.title) is distinct from
         (posts.author_id, posts.is_public, posts.listed_at, case when w.language = app_hidden.word_form() then conventions.search_form(posts.title) else w.title end)
      -- Words of another language or form are found anew by a job.
      or w.language = app_hidden.word_form() and (w.words, w.title_words) is distinct from (app_hidden.words_in(posts.title, posts.content), app_hidden.title_words(w.title));
end $$;
comment on function app_private.check_derived_data() is $$Derived data that differs from the rows that it is derived from: none. Inherited visibility, counts, the trash and search terms. Reads all rows. For DBAs and tests.$$;

create or replace function app_private.repair_derived_data() returns void
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
declare
  v_copy record;
  v_count bigint;
begin
  -- A repaired row is the parent of others, until nothing is left.
  loop
    v_count := 0;
    for v_copy in select * from app_private.inherited_columns() loop
      execute format('with repaired as (update %s as child set %s from %s as parent where %s and (%s) returning 1) select $1 + count(*) from repaired',
        v_copy.relation, v_copy.assignments, v_copy.parent, v_copy.key_is_equal, v_copy.copies_differ) into v_count using v_count;
    end loop;
    exit when v_count = 0;
  end loop;
  update app_public.tags set public_post_id = null, public_tag_id = null, is_public = null
   where is_public and not exists (
     select from app_public.post_tags where post_id = public_post_id and tag_id = public_tag_id and post_tags.is_public);
  perform conventions.repair_counters();
  delete from app_public.trashed_posts t where not exists (select from app_public.posts where posts.id = t.id and status = 'TRASHED');
  -- Of a lost row of the trash, the status is not known: editors can restore a draft.
  insert into app_public.trashed_posts (id, author_id, title, content, status, tags, slug, expires_at)
  select id, author_id, title, content, 'DRAFT', '{}', app_hidden.free_slug(posts), now() + interval '30 days'
    from app_public.posts where status = 'TRASHED' and not exists (select from app_public.trashed_posts t where t.id = posts.id);
  delete from app_private.post_words where post_id in (
    select row_key::bigint from app_private.check_derived_data() where derived = 'app_private.post_words');
  insert into app_private.post_words (post_id, author_id, is_public, listed_at, title, title_words, words, language)
  select p.id, p.author_id, p.is_public, p.listed_at, form, app_hidden.title_words(form), app_hidden.words_in(p.title, p.content), app_hidden.word_form()
    from app_public.posts, lateral app_hidden.post_to_search(posts) as p, lateral conventions.search_form(p.title) as form
   where not exists (select from app_private.post_words where post_id = posts.id);
end $$;
comment on function app_private.repair_derived_data() is $$Makes all that check_derived_data() checks agree with the rows that it is derived from, in one transaction. After rows were written without triggers, as by a restore of data alone. For DBAs.$$;
--! EndIncluded functions/upkeep/check_derived_data.sql
update app_private.post_words
   set title = '', title_words = app_hidden.title_words(''), words = app_hidden.words_in('', ''), language = app_hidden.word_form()
 where post_id in (select id from app_public.posts where status = 'TRASHED') and title <> '';

-- An editor may have a submitted post published later: its author is told then.
--! Included functions/review/tg_posts__review.sql
-- Security definer: nobody else may write notifications, or delete notes.
create or replace function app_hidden.tg_posts__review() returns trigger
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
begin
  if new.status in ('SUBMITTED', 'PUBLISHED') then
    delete from app_public.review_notes where post_id = new.id;
  end if;
  if old.status = 'SUBMITTED' and new.status in ('PUBLISHED', 'DRAFT') and new.author_id is distinct from app_hidden.viewer_id() then
    insert into app_public.notifications (user_id, kind, actor_id, post_id)
    values (new.author_id, case new.status when 'PUBLISHED' then 'POST_PUBLISHED' else 'POST_RETURNED' end::app_public.notification_kind,
      app_hidden.viewer_id(), new.id);
  end if;
  return null;
end $$;
comment on function app_hidden.tg_posts__review() is $$After a post is submitted, or was: notifies its author of what another user, or the time for publication, decides. A note of an earlier review goes.$$;

-- The rule of the policies, for any viewer.
create or replace function app_private.review_reading(queue bigint, viewer_id bigint) returns table (may_read boolean)
language sql stable rows 1 as $$
  select app_hidden.user_may(review_reading.viewer_id, 'EDIT_ANY_POST')
$$;
comment on function app_private.review_reading(bigint, bigint) is $$Whether the viewer may follow the submitted posts: with the right EDIT_ANY_POST.$$;
--! EndIncluded functions/review/tg_posts__review.sql
select app_hidden.add_value('app_public.notification_kind', 'POST_PUBLISHED', 'The actor has published the post that you submitted; without an actor, its time has come.');

-- The job that deletes comes some minutes later.
comment on column app_public.trashed_posts.expires_at is $$The time after which the post is deleted for good. Until it is, it can be restored.$$;
