select
  __users__."id"::text as "0",
  __users__."name" as "1"
from "app_public"."users" as __users__
order by __users__."id" asc
limit 100;
