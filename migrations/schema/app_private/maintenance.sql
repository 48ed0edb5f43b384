-- Made by npm run db:snapshot from the catalogue. A change is a migration (migrations/README.md).
-- The state of maintain(), in one row.
create table app_private.maintenance (
  is_only     boolean not null default true, -- Always true: there is one row.
  last_tag_id bigint not null default 0, -- The tag up to which unused tags have been deleted in this round; 0 before a new round.
  ran_at      timestamptz, -- The time of the last batch.
  constraint maintenance_pkey primary key (is_only),
  constraint maintenance_is_only_check check (is_only) -- There is one row.
);
