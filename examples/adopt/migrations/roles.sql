-- The login of the server, and the roles that its requests take. Runs again before each migration.
do $$
declare
  v_role text;
begin
  foreach v_role in array '{shop_login,shop_visitor,shop_customer}'::text[] loop
    if to_regrole(v_role) is null then
      execute format('create role %I noinherit', v_role);
    end if;
  end loop;
end;
$$;
alter role shop_login login;
grant shop_visitor, shop_customer to shop_login;
