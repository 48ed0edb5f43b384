select
  __update_post_function__."title" as "0"
from "app_public"."update_post"(
  $1::"int8",
  $2::"app_public"."update_post_input"
) as __update_post_function__;

select
  __update_post_function__."title" as "0"
from "app_public"."update_post"(
  $1::"int8",
  $2::"app_public"."update_post_input"
) as __update_post_function__;

select
  __delete_post_function__."success"::text as "0",
  (not (__delete_post_function__ is null))::text as "1"
from "app_public"."delete_post"($1::"int8") as __delete_post_function__;
