select
  __feed_function__."title" as "0",
  __users__."name" as "1",
  array(
    select array[
      __tags__."name"
    ]::text[]
    from "app_public"."tags" as __tags__
    where (
      exists (select from "app_public"."post_tags" as __post_tags__ where __post_tags__."tag_id" = __tags__."id" and __post_tags__."post_id" = __feed_function__."id")
    )
    order by __tags__."name" asc
    limit 20
  )::text as "2",
  array(
    select array[
      __comments__."text",
      __users_2."name"
    ]::text[]
    from "app_public"."comments" as __comments__
    left outer join "app_public"."users" as __users_2
    on (
    /* WHERE becoming ON */ (
      __users_2."id" = __comments__."author_id"
    ))
    where (
      __comments__."post_id" = __feed_function__."id"
    )
    order by __comments__."created_at" asc, __comments__."id" asc
    limit 3
  )::text as "3"
from "app_public"."feed"() as __feed_function__
left outer join "app_public"."users" as __users__
on (
/* WHERE becoming ON */ (
  __users__."id" = __feed_function__."author_id"
))
order by __feed_function__."listed_at" desc, __feed_function__."id" desc
limit 10;
