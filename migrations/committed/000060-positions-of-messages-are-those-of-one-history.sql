--! Previous: sha1:20561bb2703a9cce328626477534ef7d984983c3
--! Hash: sha1:bd3c1aae3dd852e6746debd404bd85bee04f3111
--! Message: positions of messages are those of one history

--! split: 710-positions-of-messages.sql

-- allow: change-behaviour:change_feed.notify_services because the same triggers are made again
-- allow: change-behaviour:change_feed.notify_rights because the same triggers are made again
-- allow: change-behaviour:change_feed.record_events because the same triggers are made again
-- allow: change-behaviour:change_feed.tg__record_events because the same triggers are made again
-- allow: change-behaviour:change_feed.sample_keys because the same triggers are made again
-- allow: change-behaviour:change_feed.try_key because the same triggers are made again
-- allow: change-behaviour:change_feed.try_stream because the same triggers are made again
-- allow: change-behaviour:change_feed.attach_triggers because the same triggers are made again
-- allow: change-behaviour:change_feed.tg_pending_events__number because the same triggers are made again
-- allow: change-behaviour:change_feed.open_positions because the same triggers are made again
-- allow: change-behaviour:change_feed.check_declaration because the same triggers are made again
-- allow: change-behaviour:change_feed.version because the same triggers are made again
-- allow: change-behaviour:change_feed.queue_for_webhooks because the same triggers are made again
-- allow: change-behaviour:change_feed.tg_stream_events__queue because the same triggers are made again
-- allow: change-behaviour:change_feed.due_webhook_events because the same triggers are made again
-- allow: change-behaviour:change_feed.problems because the same triggers are made again
-- allow: change-behaviour:change_feed.read_streams because the same triggers are made again
-- allow: change-behaviour:change_feed.stream_sources because the same triggers are made again
-- allow: change-behaviour:change_feed.stream_names because the same triggers are made again
-- allow: create-trigger:_500_note_emptied on change_feed.stream_events because the same triggers are made again
-- allow: create-trigger:_500_note_emptied on change_feed.stream_heads because the same triggers are made again
-- allow: create-trigger:_900_stream_truncate on app_public.users because the same triggers are made again
-- allow: create-trigger:_900_stream_truncate on app_public.posts because the same triggers are made again
-- allow: create-trigger:_900_stream_truncate on app_public.comments because the same triggers are made again
-- allow: create-trigger:_900_stream_truncate on app_public.notifications because the same triggers are made again
-- allow: create-trigger:_900_stream_truncate on app_public.messages because the same triggers are made again
-- allow: create-trigger:_900_stream_truncate on app_public.inbox_entries because the same triggers are made again
-- allow: create-trigger:_900_stream_truncate on app_public.reports because the same triggers are made again
-- A position in a chat is that of one history: after a restore, another message may have its number and its id.
select change_feed.stream('app_public.messages', 'chat_id', kinds => '{added,updated}', may_read => 'app_private.chat_reading',
  number_column => 'number', mark_column => 'created_at');
