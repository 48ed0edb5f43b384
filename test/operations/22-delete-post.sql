select
  __delete_post_function__."success"::text as "0",
  __delete_post_function__."message" as "1",
  (not (__delete_post_function__ is null))::text as "2"
from "app_public"."delete_post"($1::"int8") as __delete_post_function__;
