select
  __users__."id"::text as "0",
  __users__."name" as "1",
  __users__."avatar" as "2",
  __users__."bio" as "3",
  __users__."role"::text as "4",
  array(
    select array[
      __posts__."id"::text,
      __posts__."title"
    ]::text[]
    from "app_public"."posts" as __posts__
    where
      (
        __posts__."author_id" = __users__."id"
      ) and (
        __posts__."status" = $1::"app_public"."post_status"
      )
    order by __posts__."listed_at" desc, __posts__."id" desc
    limit 2
  )::text as "5",
  __users_followers_function__."count"::text as "6",
  (not (__users_followers_function__ is null))::text as "7",
  __users_following_function__."count"::text as "8",
  (not (__users_following_function__ is null))::text as "9"
from "app_public"."users" as __users__
left outer join "app_public"."users_followers"(__users__) as __users_followers_function__
on TRUE
left outer join "app_public"."users_following"(__users__) as __users_following_function__
on TRUE
where (
  __users__."id" = $2::"int8"
);
