-- Made by npm run db:snapshot from the catalogue. A change is a migration.
-- The changes of transactions that have not been committed yet, one row for each call of record_events().
create table change_feed.pending_events (
  transaction_id xid8 not null default pg_current_xact_id(), -- The transaction.
  number         bigint not null default nextval('change_feed.pending_event_numbers'::regclass), -- The place among the calls of the transaction.
  relation       regclass not null, -- The table.
  key_column     name not null, -- The column whose value a subscription names.
  kinds          text[] not null, -- What happened to each row: added, updated or deleted.
  keys           text[] not null, -- The value of the key column of each row.
  row_ids        text[] not null, -- The primary key of each row.
  constraint pending_events_pkey primary key (transaction_id, number)
);

-- Triggers, before and after, in the order in which they run
-- When a transaction commits: gives its events their numbers, in one order for all keys, and notifies the services.
create constraint trigger _500_number after insert on change_feed.pending_events deferrable initially deferred for each row execute function change_feed.tg_pending_events__number();

-- Row-level security
alter table change_feed.pending_events enable row level security;
