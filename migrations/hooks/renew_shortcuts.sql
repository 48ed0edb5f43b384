-- The functions that check rows quickly follow the check constraints (migrations/fixtures/functions/rows/shortcuts.sql). While the
-- first migrations run for the first time, there is nothing to renew yet.
do $$
begin
  if to_regprocedure('app_hidden.renew_shortcuts()') is not null then
    perform app_hidden.renew_shortcuts();
  end if;
end $$;
