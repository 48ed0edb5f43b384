\o /dev/null
\o
\t on
\o /tmp/w3s/pid.base
\a
select pg_backend_pid();
\o /dev/null
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
\! awk '{print "BEGIN", $14, $15}' /proc/$(cat /tmp/w3s/pid.base)/stat
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
select ('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47}'::bigint[])[1 + (random()*40)::int] as p \gset
insert into app_public.comments (post_id, author_id, text) values (:p, 1, 'x');
\! awk '{print "END", $14, $15}' /proc/$(cat /tmp/w3s/pid.base)/stat
