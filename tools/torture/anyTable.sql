-- Tables as a user of the feed may have them, for tools/torture/scenarios/anyTable.ts: with keys of each type, a soft deletion, rights in another
-- table, partitions, and a primary key of two columns.
create table app_public.any_rooms (id bigint primary key, is_open boolean not null);
create table app_public.any_members (room_id bigint references app_public.any_rooms, user_id bigint, primary key (room_id, user_id));
create table app_public.any_boards (id uuid primary key);
create table app_public.any_notes (id bigint primary key, room_id bigint not null references app_public.any_rooms, is_secret boolean not null);
create table app_public.any_cards (id uuid primary key, board_id uuid not null references app_public.any_boards, listed_at timestamptz);
create table app_public.any_logs (id bigint primary key, room_id bigint not null references app_public.any_rooms) partition by range (id);
create table app_public.any_logs_low partition of app_public.any_logs for values from (0) to (1000000);
create table app_public.any_logs_high partition of app_public.any_logs for values from (1000000) to (2000000);
create table app_public.any_seats (
  room_id bigint not null references app_public.any_rooms, number bigint not null, primary key (room_id, number));

grant select on app_public.any_rooms, app_public.any_members, app_public.any_boards, app_public.any_notes, app_public.any_cards,
  app_public.any_logs, app_public.any_seats to api_anonymous, api_member;
alter table app_public.any_rooms enable row level security;
create policy select_open on app_public.any_rooms to api_anonymous, api_member using (is_open);
create policy select_own on app_public.any_rooms to api_member using (
  exists (select from app_public.any_members m where m.room_id = any_rooms.id and m.user_id = (select app_hidden.viewer_id())));
alter table app_public.any_notes enable row level security;
create policy select_plain on app_public.any_notes to api_anonymous, api_member using (not is_secret);
create policy select_secret on app_public.any_notes to api_member using (
  exists (select from app_public.any_members m where m.room_id = any_notes.room_id and m.user_id = (select app_hidden.viewer_id())));

select change_feed.stream('app_public.any_notes', 'room_id', kinds => '{added,deleted}');
select change_feed.stream('app_public.any_cards', 'board_id', kinds => '{added,deleted}', since_column => 'listed_at');
select change_feed.stream('app_public.any_logs', 'room_id', kinds => '{added}');
select change_feed.stream('app_public.any_seats', 'room_id', kinds => '{added}', has_triggers => false);
comment on table app_public.any_notes is E'@subscription anyNoteAdded room_id\n@subscription anyNoteDeleted room_id deleted';
comment on table app_public.any_cards is E'@subscription anyCardAdded board_id\n@subscription anyCardDeleted board_id deleted';
comment on table app_public.any_logs is '@subscription anyLogAdded room_id';
comment on table app_public.any_seats is '@subscription anySeatAdded room_id';

insert into app_public.any_rooms values (1, true), (2, true), (3, false);
insert into app_public.any_boards values ('00000000-0000-0000-0000-00000000000a'), ('00000000-0000-0000-0000-00000000000b');
