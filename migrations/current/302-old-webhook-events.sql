-- What no endpoint has taken within a month is found by its id: no index has the times.
--!include functions/upkeep/delete_expired.sql
update app_private.jobs set statement = $$select * from app_private.delete_webhook_events($1)$$ where name = 'webhook_events';
