select
  __users__."name" as "0"
from "app_public"."users" as __users__
where (
  __users__."id" = $1::"int8"
);

select
  __posts__."title" as "0"
from "app_public"."posts" as __posts__
where (
  __posts__."id" = $1::"int8"
);

select
  __posts__."title" as "0"
from "app_public"."posts" as __posts__
where (
  __posts__."id" = $1::"int8"
);
