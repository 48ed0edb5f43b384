select
  __users__."id"::text as "0",
  array(
    select array[
      __posts__."title",
      __posts__."status"::text,
      to_char(__posts__."published_at", 'YYYY-MM-DD"T"HH24:MI:SS.USTZH:TZM'::text)
    ]::text[]
    from "app_public"."posts" as __posts__
    where
      (
        __posts__."author_id" = __users__."id"
      ) and (
        __posts__."status" = $1::"app_public"."post_status"
      )
    order by __posts__."listed_at" desc, __posts__."id" desc
    limit 20
  )::text as "1"
from "app_public"."users" as __users__
where (
  __users__."id" = $2::"int8"
);
