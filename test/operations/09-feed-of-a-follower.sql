select
  __feed_function__."title" as "0",
  __users__."name" as "1"
from "app_public"."feed"() as __feed_function__
left outer join "app_public"."users" as __users__
on (
/* WHERE becoming ON */ (
  __users__."id" = __feed_function__."author_id"
))
order by __feed_function__."listed_at" desc, __feed_function__."id" desc
limit 10;
