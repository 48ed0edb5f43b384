select
  __posts__."id"::text as "0",
  __posts__."title" as "1",
  __posts__."slug" as "2",
  __posts__."excerpt" as "3",
  __posts__."content" as "4",
  __posts__."status"::text as "5",
  to_char(__posts__."published_at", 'YYYY-MM-DD"T"HH24:MI:SS.USTZH:TZM'::text) as "6",
  to_char(__posts__."created_at", 'YYYY-MM-DD"T"HH24:MI:SS.USTZH:TZM'::text) as "7",
  to_char(__posts__."updated_at", 'YYYY-MM-DD"T"HH24:MI:SS.USTZH:TZM'::text) as "8",
  array(
    select array[
      __tags__."name"
    ]::text[]
    from "app_public"."tags" as __tags__
    where (
      exists (select from "app_public"."post_tags" as __post_tags__ where __post_tags__."tag_id" = __tags__."id" and __post_tags__."post_id" = __posts__."id")
    )
    order by __tags__."name" asc
    limit 20
  )::text as "9",
  array(
    select array[
      __comments__."id"::text,
      __comments__."text",
      to_char(__comments__."created_at", 'YYYY-MM-DD"T"HH24:MI:SS.USTZH:TZM'::text),
      __users__."name"
    ]::text[]
    from "app_public"."comments" as __comments__
    left outer join "app_public"."users" as __users__
    on (
    /* WHERE becoming ON */ (
      __users__."id" = __comments__."author_id"
    ))
    where (
      __comments__."post_id" = __posts__."id"
    )
    order by __comments__."created_at" asc, __comments__."id" asc
    limit 20
  )::text as "10",
  __users_2."id"::text as "11",
  __users_2."name" as "12"
from "app_public"."posts" as __posts__
left outer join "app_public"."users" as __users_2
on (
/* WHERE becoming ON */ (
  __users_2."id" = __posts__."author_id"
))
where (
  __posts__."id" = $1::"int8"
);
