-- Made by npm run db:snapshot from the catalogue. A change is a migration.
-- Why posts were returned.
-- @behavior -*
create table app_public.review_notes (
  post_id    bigint not null, -- The post.
  note       text not null, -- What the author should change.
  created_at timestamptz not null default now(), -- The time when the post was returned.
  constraint review_notes_pkey primary key (post_id),
  constraint review_notes_post_id_fkey foreign key (post_id) references app_public.posts(id) on delete cascade, -- [@behavior -*]
  constraint review_notes_note_blank_check check (((note ~ '\S'::text) or (note = ''::text))), -- A note needs more than spaces.
  constraint review_notes_note_length_check check (((char_length(note) >= 1) and (char_length(note) <= 1000))) -- A note has between 1 and 1000 characters.
);

-- Triggers, before and after, in the order in which they run
-- Before a row of app_public.review_notes is written: brings its texts into Unicode normal form C, and raises all its validation errors at once.
create trigger _200_validate before insert or update of note on app_public.review_notes for each row execute function conventions.validate_app_public_review_notes();

-- Row-level security
alter table app_public.review_notes enable row level security;
create policy insert_by_right on app_public.review_notes for insert to api_member
  with check (( select app_hidden.viewer_may('EDIT_ANY_POST'::app_public.user_right) as viewer_may));
create policy select_with_post on app_public.review_notes for select to api_member
  using ((exists ( select
   from app_public.posts
  where ((posts.id = review_notes.post_id) and ((posts.author_id = ( select app_hidden.viewer_id() as viewer_id)) or ( select app_hidden.viewer_may('EDIT_ANY_POST'::app_public.user_right) as viewer_may)))
 offset 0)));

-- Rights, beside the owner's
grant select on app_public.review_notes to api_anonymous;
grant insert (post_id, note) on app_public.review_notes to api_member;
grant select on app_public.review_notes to api_member;
