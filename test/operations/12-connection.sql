select
  __posts__."title" as "0"
from "app_public"."posts" as __posts__
order by __posts__."listed_at" desc, __posts__."id" desc
limit 3;

select
  (count(*))::text as "0"
from "app_public"."posts" as __posts__;
