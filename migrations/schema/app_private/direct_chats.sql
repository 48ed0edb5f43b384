-- Made by npm run db:snapshot from the catalogue. A change is a migration.
-- The one direct chat of two users, whether they are members of it now or have left it.
create table app_private.direct_chats (
  low_user_id  bigint not null, -- The user with the lower id.
  high_user_id bigint not null, -- The user with the higher id.
  chat_id      bigint not null, -- Their chat.
  constraint direct_chats_pkey primary key (low_user_id, high_user_id),
  constraint direct_chats_chat_id_key unique (chat_id), -- This chat is the direct chat of two other users.
  constraint direct_chats_chat_id_fkey foreign key (chat_id) references app_public.chats(id) on delete cascade,
  constraint direct_chats_high_user_id_fkey foreign key (high_user_id) references app_public.users(id) on delete cascade,
  constraint direct_chats_low_user_id_fkey foreign key (low_user_id) references app_public.users(id) on delete cascade,
  constraint direct_chats_order_check check ((low_user_id < high_user_id)) -- The lower id comes first.
);

-- Indexes
create index direct_chats_high_user_id_idx on app_private.direct_chats (high_user_id);

-- Row-level security
alter table app_private.direct_chats enable row level security;
