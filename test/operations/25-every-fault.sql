select
  __create_post_function__."id"::text as "0"
from "app_public"."create_post"($1::"app_public"."create_post_input") as __create_post_function__;
