--! Previous: sha1:8355ffd01fd924531eaeb7690d28f10b20a43160
--! Hash: sha1:812321133366801f2c735b061f81b2b35343726e
--! Message: maintenance deletes old webhook events

--! split: 100-webhook-job.sql

-- Maintenance deletes what no endpoint has taken within a month.
insert into app_private.jobs (name, priority, statement) values
  ('webhook_events', 100, $$select * from app_private.delete_expired('change_feed.webhook_events', 'queued_at', '30 days', $1)$$)
on conflict (name) do nothing;
