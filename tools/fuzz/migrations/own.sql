-- Tables, columns and functions of a publication's own, which the listed migrations change.
create table app_private.errands (
  id bigint generated always as identity primary key,
  post_id bigint not null references app_public.posts on delete cascade,
  title varchar(50) not null,
  is_done boolean not null default false,
  note text,
  updated_at timestamptz not null default now(),
  constraint errands_title_check check (char_length(title) between 1 and 50)
);
create index errands_post_id_idx on app_private.errands (post_id);
create index errands_title_idx on app_private.errands (title);
select conventions.apply_to('app_private.errands', '{title}');
alter table app_private.errands add constraint errands_note_check check (char_length(note) < 1000) not valid;
create table app_private.parcels (id bigint generated always as identity primary key, title text not null);
select conventions.apply_to('app_private.parcels', '{title}');
alter table app_public.posts add column mood text, add column weather text;
comment on column app_public.posts.mood is E'@behavior -*\nA column that clients do not see.';
comment on column app_public.posts.weather is E'@behavior -*\nAnother one.';
create function app_hidden.errands_left() returns bigint language sql stable as 'select count(*) from app_private.errands where not is_done';
create function app_hidden.errands_done() returns bigint language sql stable as 'select count(*) from app_private.errands where is_done';
