-- A counter names columns of its table, and conventions.record() writes the names into triggers. After a rename, nothing is counted: change conventions.counters and call conventions.count_rows().
select format('%s: %s', relation, column_name) as offender
from conventions.counters cross join unnest(columns) as column_name
where not exists (select from pg_catalog.pg_attribute where attrelid = relation and attname = column_name and attnum > 0 and not attisdropped);
-- offence: alter table app_public.reports rename column status to state
