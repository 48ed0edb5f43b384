-- A client that does not know whether its call has arrived repeats it with the same idempotencyKey. The second call answers
-- with the first one's row and writes nothing.
create table if not exists app_private.idempotency_keys (
  user_id        bigint not null references app_public.users on delete cascade,
  key            text not null,
  arguments_hash bytea not null,
  result_id      bigint,
  created_at     timestamptz not null default now(),
  constraint idempotency_keys_pkey primary key (user_id, key)
);
comment on table app_private.idempotency_keys is $$The idempotency keys of the last day, with which users repeat a call without creating twice. maintain() deletes older ones.$$;
comment on column app_private.idempotency_keys.user_id is $$The user who sent the key.$$;
comment on column app_private.idempotency_keys.key is $$The key, which the client has chosen.$$;
comment on column app_private.idempotency_keys.arguments_hash is $$The SHA-256 of what is created, and of the arguments.$$;
comment on column app_private.idempotency_keys.result_id is $$The id of the row that the call has made. Null within the transaction that makes it.$$;
comment on column app_private.idempotency_keys.created_at is $$When the key was sent first.$$;
-- For maintain().
create index if not exists idempotency_keys_created_at_idx on app_private.idempotency_keys (created_at);
-- Without protect(): a key is compared as it was sent.
alter table app_private.idempotency_keys enable row level security;

--!include functions/idempotency.sql
--!include functions/maintain.sql
-- PostgreSQL cannot add an argument to a function.
drop function if exists app_public.create_post(app_public.create_post_input);
drop function if exists app_public.send_message(bigint, text);
drop function if exists app_public.create_chat(bigint[], text);
--!include functions/create_post.sql
--!include functions/send_message.sql
--!include functions/create_chat.sql
