select
  __create_user_function__."id"::text as "0",
  __create_user_function__."name" as "1",
  case when (__create_user_function__) is not distinct from null then null::text else json_build_array(
    (((__create_user_function__)."id"))::text,
    ((__create_user_function__)."name"),
    ((__create_user_function__)."avatar"),
    ((__create_user_function__)."bio"),
    (((__create_user_function__)."role"))::text,
    to_char(((__create_user_function__)."created_at"), 'YYYY-MM-DD"T"HH24:MI:SS.USTZH:TZM'::text)
  )::text end as "2"
from "app_public"."create_user"(
  $1::"text",
  $2::"text"
) as __create_user_function__;

select
  "app_public"."users_email"(__create_user_function__) as "0",
  to_char(__create_user_function__."created_at", 'YYYY-MM-DD"T"HH24:MI:SS.USTZH:TZM'::text) as "1"
from (select ($1::"app_public"."users").*) as __create_user_function__;
