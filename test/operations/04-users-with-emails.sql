select
  __users__."name" as "0",
  "app_public"."users_email"(__users__) as "1"
from "app_public"."users" as __users__
order by __users__."id" asc
limit 100;
