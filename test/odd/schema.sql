-- A schema that nobody here would write: objects of every kind, with names that GraphQL or this preset cannot have, or has already.
set search_path = app_public, public;
create extension if not exists hstore schema public;
create extension if not exists ltree schema public;
create extension if not exists citext schema public;
create extension if not exists cube schema public;
create extension if not exists file_fdw schema public;
create extension if not exists btree_gist schema public;

-- Names.
create table docs (id int primary key, t text);
create table "Docs" (id int primary key);
create table "dOCS" (id int primary key);
create table client (id int primary key);
create table clients (id int primary key);
create table subscriptions (id int primary key);
create table timestamps (id int primary key, at timestamptz);
create table nodes (id int primary key, parent int references nodes, node_id int);
create table queries (id int primary key);
create table mutations (id int primary key);
create table page_infos (id int primary key);
create table error_codes (id int primary key);
create table ints (id int primary key);
create table line (id int primary key, l pg_catalog.line);
create table points (id int primary key, p point);
create table intervals (id int primary key, i interval);
create table jsons (id int primary key, j json, jb jsonb);
create table uuids (id uuid primary key);
create view xml as select 1 as id, '<a/>'::pg_catalog.xml as x;
create table 期间 (id int primary key, 值 int);
create table "größe" (id int primary key, "größe" int, "__typename" text, "a b" int, "a.b" int, "a""b" int, "aB" int, a_b int);
create table "🙂" (id int primary key, "🙂" int);
create table "1st" (id int primary key, "2nd" int, "3" int);
create table "__x" (id int primary key, "__y" int);
create table "select" (id int primary key, "from" int, "where" int, "group" int, "order" int, "limit" int, "offset" int);
create table "type" (id int primary key, "input" int, "enum" int, "interface" int, "fragment" int, "on" int, "true" int, "null" int);
create table "constructor" (id int primary key, "prototype" int, "toString" int, "hasOwnProperty" int);
create table a_name_of_sixty_three_bytes_that_is_as_long_as_postgres_allows_0 (
  id int primary key, a_column_of_sixty_three_bytes_that_is_as_long_as_postgres_all_0 int);
create table "quoted.name" (id int primary key);
create table "quoted name" (id int primary key);
create table posts_connections (id int primary key);
create table post_edges (id int primary key);
create table create_post_inputs (id int primary key);
create table empty ();
create table no_key (a int);
create unlogged table unlogged_things (id int primary key);

-- Foreign keys.
create table foos (id int primary key);
create table bars (id int primary key references foos);
create table emps (id int primary key, reports_to int references emps, hired_by int references emps);
create index on emps (reports_to);
create index on emps (hired_by);
create table langs (id int primary key);
create table films (id int primary key, language_id int references langs, original_language_id int references langs, lang int references langs);
create index on films (language_id);
create index on films (original_language_id);
create index on films (lang);
create type composite_key as (a int, b text);
create table keyed_parents (k composite_key primary key);
create table keyed_children (id int primary key, k composite_key references keyed_parents);
create table pairs (a int, b int, primary key (a, b), unique (b, a));
create table pair_children (id int primary key, a int, b int, foreign key (a, b) references pairs, foreign key (b, a) references pairs (b, a));
create table twice (id int primary key, foo_id int, constraint one foreign key (foo_id) references foos, constraint two foreign key (foo_id) references foos);
create table hens (id int primary key);
create table eggs (id int primary key, hen_id int references hens);
alter table hens add egg_id int references eggs;
create table language_columns (id int primary key, language text, language_id int references langs);
create table no_ends (id int primary key, self_id int unique references no_ends);
create table lookups (id int primary key, code text unique, "Code" text unique);
create table left_side (id int primary key);
create table right_side (id int primary key);
create table sides (left_id int references left_side, right_id int references right_side, primary key (left_id, right_id));
create table more_sides (left_id int references left_side, right_id int references right_side, primary key (left_id, right_id));
create index on sides (right_id);
create index on more_sides (right_id);
comment on table sides is '@manyToMany';
comment on table more_sides is '@manyToMany';

-- Inheritance and partitions.
create table ancestors (id int primary key, x int);
create table descendants (id int primary key, y int) inherits (ancestors);
create table keyless_descendants (z int) inherits (ancestors);
create table parts (id int, day date, primary key (id, day)) partition by range (day);
create table parts_2025 partition of parts for values from ('2025-01-01') to ('2026-01-01') partition by list (id);
create table parts_2025_1 partition of parts_2025 for values in (1);
create table parts_default partition of parts default;

-- Types.
create type mood as enum ('CALM', 'a b', 'a-b', '', 'true', '__x', '期间');
create type moods as enum ('ONE');
create type nested as (inner_one composite_key, many composite_key[], mood mood);
create domain positive as int check (value > 0);
create domain words as text[];
create domain lists_of_positive as positive[];
create domain addresses as composite_key;
create domain mood_domain as mood;
create domain "*/*" as bytea;
create type "!!" as enum ('A');
create type "??" as range (subtype = int4, multirange_type_name = "???");
create type "()" as (a int);
create table nameless (id int primary key, a "*/*", b "!!", c "??", d "()", e "!!"[]);
create type float_range as range (subtype = float8);
create type mood_range as range (subtype = mood);
create table types (
  id int generated always as identity primary key, a_serial serial, b int generated always as (1 + 1) stored,
  a_money money, a_bit bit(3), a_varbit varbit, a_inet inet, a_cidr cidr, a_mac macaddr, a_mac8 macaddr8, a_box box, a_circle circle,
  a_lseg lseg, a_path path, a_polygon polygon, a_time time, a_timetz timetz, a_date date, a_bytea bytea, a_name name, a_char "char",
  a_oid oid, a_regclass regclass, a_regtype regtype, a_xid xid, a_lsn pg_lsn, a_jsonpath jsonpath, a_tsvector tsvector, a_tsquery tsquery,
  tsvectors tsvector[], a_multirange int4multirange, multiranges int4multirange[], a_range int4range, ranges tstzrange[], a_hstore hstore,
  an_ltree ltree, a_citext citext, a_cube cube, a_nested nested, nesteds nested[], a_positive positive, a_words words, a_lists lists_of_positive,
  an_address addresses, a_mood mood, moods mood[], a_mood_domain mood_domain, a_float_range float_range, a_mood_range mood_range, matrix int[][],
  a_row docs, rows docs[]);
create table ranges (id int primary key, during tstzrange, exclude using gist (during with &&));
create table dates (id int primary key, d date, t time, tz timetz, s timestamp, z timestamptz);
comment on column dates.z is '@timestampFormat DATE';
insert into dates values (1, '0044-03-15 BC', '24:00', '24:00+05:30', '0044-03-15 12:00 BC', '0044-03-15 12:00+00 BC'), (2, '2026-01-02', '12:34:56.5', '01:02:03-03', '2026-01-02 03:04:05.678', '2026-01-02 03:04:05+00');
insert into types (a_multirange, multiranges, a_xid, a_lsn, a_cube, a_tsvector) values ('{[1,3),[5,8)}', '{"{[1,3)}","{}"}', '7', '0/10', '(1,2)', 'a b');

-- Views and foreign tables.
create view viewed_docs as select * from docs;
create view viewed_views as select * from viewed_docs;
create materialized view kept_docs as select * from docs;
create view two_same as select 1 as id, 2 as "Id";
create server files foreign data wrapper file_fdw;
create foreign table passwords (a text, b text) server files options (filename '/dev/null', format 'csv');
create table enumerated (code text primary key, description text);
insert into enumerated values ('ONE', 'First'), ('TWO', 'Second');
comment on table enumerated is '@enum';
create table uses_enumerated (id int primary key, code text references enumerated);

-- Functions.
create function publish(doc docs, loud boolean) returns int language sql volatile as 'select 1';
create function archive(doc docs) returns int language sql volatile as 'select 1';
create function compared(loud boolean, doc docs) returns int language sql stable as 'select 1';
create function many_docs(docs docs[]) returns int language sql stable as 'select 1';
create function docs_t(docs docs) returns text language sql stable as 'select ''computed''';
create function docs_length(docs docs) returns int language sql stable as 'select 1';
create function docs_others(docs docs) returns setof docs language sql stable as 'select * from docs';
create function queries() returns int language sql stable as 'select 1';
create function client() returns int language sql stable as 'select 1';
create function foo() returns int language sql stable as 'select 1';
create function node() returns int language sql stable as 'select 1';
create function overloaded(a int) returns int language sql stable as 'select 1';
create function overloaded(a text) returns int language sql stable as 'select 1';
create function variadic_sum(variadic a int[]) returns int language sql stable as 'select 1';
create function loose() returns record language sql stable as 'select 1, 2';
create function tabular() returns table (a int, b text) language sql stable as 'select 1, ''x''';
create function tabulars() returns table (a int, b text) language sql stable as 'select 1, ''x''';
create function out_two(out a int, out b int) language sql stable as 'select 1, 2';
create function in_out(inout a int) language sql stable as 'select 1';
create function nothing_returned() returns void language sql volatile as 'select';
create function a_trigger() returns trigger language plpgsql as 'begin return new; end';
create function "__hidden"() returns int language sql stable as 'select 1';
create function "期"() returns int language sql stable as 'select 1';
create function "🙂🙂"() returns int language sql stable as 'select 1';
create function any_of(a anyelement) returns anyelement language sql stable as 'select a';
create function unnamed(int, int) returns int language sql immutable as 'select $1 + $2';
create function same_args("a b" int, a_b int) returns int language sql immutable as 'select 1';
create function keyed(a int, b int default 2) returns setof docs language sql stable strict as 'select * from docs';
create function limited("limit" int, "offset" int) returns setof app_public.docs language sql stable
  as 'select * from app_public.docs where id > "limit" + "offset"';
create function firsts("first" int, "after" text) returns setof int language sql stable as 'select 1';
create function doc() returns setof text language sql stable as 'select ''x''';
create function volatile_query(a int) returns int language sql volatile as 'select 1';
comment on function volatile_query(int) is '@behavior +queryField';
create function matrix() returns int[][] language sql stable as 'select array[[1,2],[3,4]]';
create function multiranges() returns int4multirange language sql stable as 'select ''{[1,3)}''::int4multirange';
create function a_domain() returns positive language sql immutable as 'select 1::positive';
create function takes_domain(a positive, b words, c lists_of_positive, d addresses) returns int language sql immutable as 'select 1';
create function takes_types(a nested, b int4range, c hstore, d interval, e mood, f int4multirange) returns int language sql immutable as 'select 1';
create function composite_set() returns setof composite_key language sql stable as 'select (1, ''x'')::composite_key';
create function a_composite() returns nested language sql stable as 'select null::nested';
create function composites() returns composite_key[] language sql stable as 'select array[(1, ''x'')::composite_key]';
create function change_something(id int, "order" int) returns docs language sql volatile as 'select * from docs limit 1';
create function "changeSomething"(id int) returns docs language sql volatile as 'select * from docs limit 1';
create procedure a_procedure() language sql as 'select 1';
create aggregate total_of(int) (sfunc = int4pl, stype = int);
insert into docs values (1, 'one'), (2, null);

grant select on all tables in schema app_public to api_anonymous, api_member;
grant execute on all functions in schema app_public to api_anonymous, api_member;
grant execute on all procedures in schema app_public to api_anonymous, api_member;
