select
  __posts__."id"::text as "0",
  __posts__."title" as "1",
  __posts__."status"::text as "2"
from "app_public"."posts" as __posts__
where (
  __posts__."status" = $1::"app_public"."post_status"
)
order by __posts__."listed_at" desc, __posts__."id" desc
limit 2
offset 1;

select
  __posts_count_function__.v::text as "0"
from "app_public"."posts_count"($1::"app_public"."post_status") as __posts_count_function__(v);
