select
  __users__."name" as "0",
  array(
    select array[
      __posts__."title"
    ]::text[]
    from "app_public"."posts" as __posts__
    where (
      __posts__."author_id" = __users__."id"
    )
    order by __posts__."listed_at" desc, __posts__."id" desc
    limit 1
  )::text as "1"
from "app_public"."users" as __users__
where (
  __users__."id" = $1::"int8"
);

select
  __users__."name" as "0",
  array(
    select array[
      __posts__."title"
    ]::text[]
    from "app_public"."posts" as __posts__
    where (
      __posts__."author_id" = __users__."id"
    )
    order by __posts__."listed_at" desc, __posts__."id" desc
    limit 1
  )::text as "1"
from "app_public"."users" as __users__
where (
  __users__."id" = $1::"int8"
);
