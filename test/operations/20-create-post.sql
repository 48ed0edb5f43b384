select
  __create_post_function__."id"::text as "0",
  __create_post_function__."title" as "1",
  __create_post_function__."slug" as "2",
  __create_post_function__."status"::text as "3",
  __create_post_function__."excerpt" as "4",
  __create_post_function__."author_id"::text as "5",
  to_char(__create_post_function__."published_at", 'YYYY-MM-DD"T"HH24:MI:SS.USTZH:TZM'::text) as "6"
from "app_public"."create_post"($1::"app_public"."create_post_input") as __create_post_function__;
