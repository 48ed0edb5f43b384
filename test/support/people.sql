-- The users of every test. Their ids follow this order: Ada is 1, Bob 2, the admin 3, and Mallory, who is banned, 4.
insert into app_public.users (name, role, created_at) values
  ('Ada', 'USER', '2026-01-01 00:00Z'),
  ('Bob', 'USER', '2026-01-02 00:00Z'),
  ('Admin', 'ADMIN', '2026-01-03 00:00Z'),
  ('Mallory', 'USER', '2026-01-04 00:00Z');
insert into app_private.accounts (user_id, email, verified_at, banned_at) values
  (1, 'ada@example.com', '2026-01-01 00:00Z', null),
  (2, 'bob@example.com', '2026-01-02 00:00Z', null),
  (3, 'admin@example.com', '2026-01-03 00:00Z', null),
  (4, 'mallory@example.com', '2026-01-04 00:00Z', '2026-02-01 00:00Z');
-- bcrypt with the lowest cost: what is tested is the same, and a sign-in takes a millisecond instead of fifty.
create or replace function app_private.password_salt() returns text
language sql volatile set search_path = pg_catalog, pg_temp as $$ select app_hidden.gen_salt('bf', 4) $$;
