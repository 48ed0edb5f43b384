-- Without an index on the referencing columns, a backward relation or a delete of the referenced row scans the table.
select format('%s: %I', conrelid::regclass, conname) as offender
from pg_catalog.pg_constraint k
where contype = 'f' and conventions.is_covered(connamespace::regnamespace::text)
  and not exists (
    select from pg_catalog.pg_index i
    where i.indrelid = k.conrelid
      -- A look-up by the key finds only rows that have one.
      and (i.indpred is null or pg_get_expr(i.indpred, i.indrelid) in (
        select format('(%I IS NOT NULL)', attname) from pg_catalog.pg_attribute where attrelid = k.conrelid and attnum = any (k.conkey)))
      and (i.indkey::int2[])[0:cardinality(k.conkey) - 1] @> k.conkey)
  -- The columns after the first are copies: the first one finds few rows.
  and not (k.conname like '%\_inherited\_fkey' and exists (
    select from pg_catalog.pg_index i
    where i.indrelid = k.conrelid and i.indpred is null and i.indkey[0] = k.conkey[1]));
-- offence: drop index app_public.comments_author_id_created_at_id_is_public_idx
-- offence: alter table app_public.tags add post_id bigint references app_public.posts; create index on app_public.tags (post_id) where id > 9
-- harmless: alter table app_public.tags add post_id bigint references app_public.posts; create index on app_public.tags (post_id) where post_id is not null
