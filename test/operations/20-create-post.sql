select
  __create_post_function__."id"::text as "0",
  __create_post_function__."title" as "1",
  __create_post_function__."slug" as "2",
  __create_post_function__."status"::text as "3",
  __create_post_function__."excerpt" as "4",
  __create_post_function__."author_id"::text as "5",
  to_char(__create_post_function__."published_at", 'YYYY-MM-DD"T"HH24:MI:SS.USTZH:TZM'::text) as "6"
from "app_public"."create_post"($1::"app_public"."create_post_input") as __create_post_function__;

select
  __tags__."name" as "0"
from "app_public"."tags" as __tags__
where (
  exists (select from "app_public"."post_tags" as __post_tags__ where __post_tags__."tag_id" = __tags__."id" and __post_tags__."post_id" = $1::"int8")
)
order by __tags__."name" asc
limit 20;

select
  __users__."name" as "0"
from "app_public"."users" as __users__
where (
  __users__."id" = $1::"int8"
);
