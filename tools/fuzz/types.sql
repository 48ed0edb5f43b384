-- A schema of another application: columns of all types with values at their edges, views, functions of all shapes. Only a_bpchar is always
-- full: packages/compiled-queries/README.md says how shorter values differ.
create type app_public.mood as enum ('CALM', 'loud', 'very_odd');
create type app_public.pair as (one int, two text);
create domain app_public.short as text check (char_length(value) < 9);
create table app_public.kinds (
  id bigint primary key, a_bool bool, a_int2 int2, a_int4 int4, a_numeric numeric, a_float8 float8, a_float4 float4, a_money money,
  a_text text, a_varchar varchar(9), a_bpchar char(5), a_name name, a_uuid uuid, a_date date, a_time time, a_timetz timetz,
  a_timestamp timestamp, a_timestamptz timestamptz, a_interval interval, a_json json, a_jsonb jsonb not null, a_bytea bytea,
  a_inet inet, a_cidr cidr, a_macaddr macaddr, a_bit bit(3), a_xml xml, a_point point, a_range int4range, a_texts text[],
  a_ids bigint[], a_mood app_public.mood, a_short app_public.short, a_pair app_public.pair, "aQuoted Name" text,
  parent_id bigint references app_public.kinds);
create index on app_public.kinds (parent_id);
comment on column app_public.kinds.a_mood is '@listFilter';
comment on column app_public.kinds.a_numeric is '@listFilter';
comment on column app_public.kinds.a_bool is '@listFilter';
insert into app_public.kinds values
  (1, true, -32768, 2147483647, 123456789012345678901234567890.123450, 1e-7, 0.1, 12.34, '', 'ü', 'apple', 'n',
   'A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11', '2026-02-28', '23:59:59.999999', '12:00+02', '2026-03-01 10:00:00.1',
   '2026-03-01 10:00+02', '1 year 2 days 3.5 seconds', '{"b": 1.0, "a": [null, "\u00e9"], "b": 2}', '{"z": 1e400, "a": -0.0}', '\x00ff',
   '10.0.0.1', '10.0.0.0/8', '08:00:2b:01:02:03', '101', '<a>1</a>', '(1,2)', '[1,5)', '{a,NULL,"b\"c"}', '{1,9223372036854775807}',
   'CALM', 'short', '(1,two)', 'quoted', null),
  (2, false, 0, 0, 'NaN', 'NaN', 'Infinity', -0.01, E'a\u0001\n"\\', '  ', 'bread', 'x', '00000000-0000-0000-0000-000000000000',
   'infinity', '00:00', '00:00Z', '-infinity', 'infinity', '-1 day', 'null', 'null', '', '::1', '::/0', '08:00:2b:01:02:04', '000',
   null, null, 'empty', '{}', '{}', 'loud', '', '(,)', '', 1),
  (9223372036854775807, null, null, null, null, null, null, null, null, null, null, null, null, '20000-01-01', null, null,
   '12000-01-01', '12000-01-01', null, null, '[]', null, null, null, null, null, null, null, null, null, null, 'very_odd', null, null,
   null, 1);
create view app_public.plain with (security_invoker) as select id as kind_id, a_text as words, a_int4 from app_public.kinds;
comment on view app_public.plain is E'@primaryKey kind_id\n@listOrder kind_id';
comment on column app_public.plain.a_int4 is '@notNull';
create function app_public.kinds_doubled(kinds app_public.kinds, factor int default 2, "on" date default null) returns int
  language sql stable return kinds.a_int2 * factor;
create function app_public.kinds_names(kinds app_public.kinds) returns text[] language sql stable return kinds.a_texts;
create function app_public.kinds_siblings(kinds app_public.kinds, mood app_public.mood default null) returns setof app_public.kinds
  language sql stable as 'select k.* from app_public.kinds k where k.id <> kinds.id and (mood is null or k.a_mood = mood)';
create function app_public.kinds_best(kinds app_public.kinds) returns app_public.kinds
  language sql stable as 'select k from app_public.kinds k where k.parent_id = kinds.id limit 1';
create function app_public.sum_of(numbers int[]) returns bigint language sql stable return (select sum(n) from unnest(numbers) n);
create function app_public.echo(word text, times int default 1, loud boolean default false) returns text
  language sql stable return repeat(case when loud then upper(word) else word end, times);
create function app_public.words() returns setof text language sql stable as 'select a_text from app_public.kinds order by id';
create function app_public.nothing() returns app_public.kinds language sql stable as 'select null::app_public.kinds';
create function app_public.shuffled() returns setof app_public.kinds language sql stable as 'select * from app_public.kinds order by id desc';
create table app_public.moments (id int primary key, at timestamptz not null, day date not null,
  size int, is_odd boolean, mood app_public.mood, rank int not null default 1);
comment on table app_public.moments is E'@listOrder at desc, id\n@listOrder DAY: day, id';
insert into app_public.moments (id, at, day, size, is_odd, mood) values (1, '2026-01-01', 'infinity', 1, true, 'CALM'), (2, 'infinity', '-infinity', -1, false, 'loud'),
  (3, '-infinity', '2026-01-01', 2147483647, true, 'CALM'), (4, 'infinity', 'infinity', 0, false, 'very_odd');
grant select on app_public.kinds, app_public.plain, app_public.moments to api_anonymous, api_member;
grant execute on all functions in schema app_public to api_anonymous, api_member;
