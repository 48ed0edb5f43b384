-- Descriptions of lists say their order. Without a line of its own, a list names the columns that it is ordered by.
do $$
declare
  v_table record;
begin
  for v_table in
    select * from (values
      ('app_public.posts'::regclass, 'Newest first, by publishedAt; drafts by createdAt.'),
      ('app_public.comments', 'Oldest first.'),
      ('app_public.messages', 'Newest first.')) as described (name, sentence)
  loop
    execute format('comment on table %s is %L', v_table.name, E'@describe listOrder ' || v_table.sentence || E'\n'
      || regexp_replace(obj_description(v_table.name, 'pg_class'), '@describe listOrder[^\n]*\n', ''));
  end loop;
end $$;
--!include functions/feed.sql
