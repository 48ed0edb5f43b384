-- Without an index on the referencing columns, a backward relation or a delete of the referenced row scans the table.
select format('%s: %I', conrelid::regclass, conname) as offender
from pg_catalog.pg_constraint k
where contype = 'f' and conventions.is_covered(connamespace::regnamespace::text)
  and not exists (
    select from pg_catalog.pg_index i
    where i.indrelid = k.conrelid and i.indpred is null
      and (i.indkey::int2[])[0:cardinality(k.conkey) - 1] @> k.conkey)
  -- The columns after the first are copies: the first one finds few rows.
  and not (k.conname like '%\_inherited\_fkey' and exists (
    select from pg_catalog.pg_index i
    where i.indrelid = k.conrelid and i.indpred is null and i.indkey[0] = k.conkey[1]));
-- offence: drop index app_public.comments_author_id_created_at_id_idx
