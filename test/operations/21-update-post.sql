select
  __update_post_function__."id"::text as "0",
  __update_post_function__."title" as "1",
  __update_post_function__."content" as "2",
  __update_post_function__."slug" as "3"
from "app_public"."update_post"(
  $1::"int8",
  $2::"app_public"."update_post_input"
) as __update_post_function__;

select
  __tags__."name" as "0"
from "app_public"."tags" as __tags__
where (
  exists (select from "app_public"."post_tags" as __post_tags__ where __post_tags__."tag_id" = __tags__."id" and __post_tags__."post_id" = $1::"int8")
)
order by __tags__."name" asc
limit 20;
