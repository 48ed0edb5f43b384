select
  __update_post_function__."id"::text as "0",
  __update_post_function__."title" as "1",
  __update_post_function__."content" as "2",
  __update_post_function__."slug" as "3"
from "app_public"."update_post"(
  $1::"int8",
  $2::"app_public"."update_post_input"
) as __update_post_function__;
