-- Row conventions follow the catalogue: validators have the check constraints (migrations/fixtures/functions/conventions/validators.sql), kept fields
-- the columns, and counters the names of enum values. A dropped table takes its streams along. While the first migrations run for the first time,
-- there is nothing to renew yet.
do $$
begin
  if to_regprocedure('conventions.renew_validators()') is not null then
    perform conventions.renew_validators(), conventions.follow_renamed_values();
  end if;
  if to_regprocedure('conventions.renew_columns()') is not null then
    perform conventions.renew_columns();
  end if;
  if to_regprocedure('change_feed.renew_streams()') is not null then
    perform change_feed.renew_streams();
  end if;
end $$;
