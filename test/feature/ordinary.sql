-- Notes of a user that everybody reads.
create table if not exists app_public.notes (
  id         bigint generated always as identity primary key,
  author_id  bigint not null references app_public.users on delete cascade,
  heading    text not null,
  created_at timestamptz not null default now(),
  constraint notes_heading_length_check check (char_length(heading) between 1 and 100)
);
comment on table app_public.notes is 'A note.';
comment on column app_public.notes.id is 'Identifies the note.';
comment on column app_public.notes.author_id is 'The user who wrote it.';
comment on column app_public.notes.heading is 'What it says.';
comment on column app_public.notes.created_at is 'When it was written.';
comment on constraint notes_heading_length_check on app_public.notes is 'A note needs between 1 and 100 characters.';
create index if not exists notes_author_id_id_idx on app_public.notes (author_id, id);
select conventions.apply_to('app_public.notes', '{heading}');
select conventions.add_mutations('app_public.notes', 'note', '{heading}', author => 'author_id');
drop policy if exists select_all on app_public.notes;
create policy select_all on app_public.notes for select to :API_ANONYMOUS, :API_MEMBER using (true);
drop policy if exists write_own on app_public.notes;
create policy write_own on app_public.notes to :API_MEMBER using (author_id = (select app_hidden.viewer_id()));
grant select on app_public.notes to :API_ANONYMOUS, :API_MEMBER;
grant insert (author_id), delete on app_public.notes to :API_MEMBER;
