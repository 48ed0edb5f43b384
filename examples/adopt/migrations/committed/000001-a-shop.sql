--! Previous: -
--! Hash: sha1:eac961e8c1b27121c0ae587b48f470dbe70f5ec3
--! Message: a shop

-- A shop: everyone sees its products, and a customer sees their own orders.
create schema shop;
grant usage on schema shop to shop_visitor, shop_customer;

create table shop.customers (
  id   int primary key generated always as identity,
  name text not null
);

create table shop.products (
  id    int primary key generated always as identity,
  name  text not null,
  price numeric(10, 2) not null check (price > 0)
);

create table shop.orders (
  id          int primary key generated always as identity,
  customer_id int not null references shop.customers,
  product_id  int not null references shop.products,
  quantity    int not null default 1 check (quantity between 1 and 100),
  placed_at   timestamptz not null default now()
);
create index on shop.orders (customer_id);
create index on shop.orders (product_id);

grant select on shop.products to shop_visitor, shop_customer;
grant select on shop.customers, shop.orders to shop_customer;

create function shop.viewer_id() returns int language sql stable
  return nullif(current_setting('app.viewer_id', true), '')::int;

alter table shop.customers enable row level security;
create policy own on shop.customers to shop_customer using (id = (select shop.viewer_id()));
alter table shop.orders enable row level security;
create policy own on shop.orders to shop_customer using (customer_id = (select shop.viewer_id()));
create policy own_new on shop.orders for insert to shop_customer with check (customer_id = (select shop.viewer_id()));
grant insert on shop.orders to shop_customer;

create function shop.place_order(product_id int, quantity int) returns shop.orders language sql volatile
begin atomic
  insert into shop.orders (customer_id, product_id, quantity)
    values (shop.viewer_id(), place_order.product_id, place_order.quantity)
    returning *;
end;

insert into shop.customers (name) values ('Ada'), ('Grace');
insert into shop.products (name, price) values ('Lamp', 19.90), ('Chair', 49);

-- #region postgraphile-change-feed
select change_feed.stream('shop.orders', 'customer_id', kinds => '{added}');
comment on table shop.orders is '@subscription orderAdded customer_id';
-- #endregion
