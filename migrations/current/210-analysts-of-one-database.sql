-- An analyst who is admitted to one database cannot connect to another one of the same server.
--!include functions/close_database.sql
--!include functions/admit_analyst.sql
select app_private.close_database();

-- Those admitted before connected with the right of public or of :ANALYST.
do $$
declare
  v_login name;
begin
  for v_login in select login from app_private.analysts where is_read_only loop
    execute format('grant connect on database %I to %I', current_database(), v_login);
  end loop;
end $$;
