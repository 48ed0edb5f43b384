-- A shop: what the tests of the preset and its bench run on.
create schema shop;
create type shop.size as enum ('SMALL', 'LARGE');

create table shop.makers (
  id bigint generated always as identity primary key,
  name text not null,
  email text
);
comment on column shop.makers.email is '@unauthorizedWhenNull';

create table shop.products (
  id bigint generated always as identity primary key,
  maker_id bigint not null references shop.makers,
  name text not null,
  price int not null,
  size shop.size not null default 'SMALL',
  is_secret boolean not null default false,
  added_at timestamptz not null default now(),
  constraint products_price_check check (price > 0)
);
comment on table shop.products is E'@listOrder added_at desc, id desc\n@listOrder CHEAPEST: price, id';
comment on column shop.products.price is '@listFilter gte lte';
comment on column shop.products.size is '@listFilter';
comment on column shop.products.added_at is '@timestampFormat DATE';
comment on constraint products_price_check on shop.products is E'@code TOO_CHEAP\nA price is more than nothing.';
create index on shop.products (maker_id);
create index on shop.products (added_at desc, id desc);

create table shop.tags (
  id bigint generated always as identity primary key,
  word text not null unique
);
create table shop.product_tags (
  product_id bigint references shop.products,
  tag_id bigint references shop.tags,
  primary key (product_id, tag_id)
);
comment on table shop.product_tags is '@manyToMany';
create index on shop.product_tags (tag_id);

create function shop.products_label(products shop.products) returns text language sql stable
  return products.name || ' (' || products.size || ')';

create function shop.products_other_sizes(products shop.products) returns shop.size[] language sql stable
  return case when products.id % 3 > 0 then array_remove(array['SMALL', 'LARGE', null]::shop.size[], products.size) end;
create function shop.products_ratio(products shop.products) returns int language sql stable
  return 1 / (products.id - 7);

create type shop.add_product_input as (maker_id bigint, name text, price int);
create function shop.add_product(input shop.add_product_input) returns shop.products
  language sql volatile set search_path = pg_catalog, pg_temp
  as 'insert into shop.products (maker_id, name, price) values (input.maker_id, input.name, input.price) returning *';

do $$ begin create role shop_visitor nologin; exception when duplicate_object or unique_violation then null; end $$;
alter table shop.products enable row level security;
create policy select_open on shop.products for select to shop_visitor
  using (not is_secret or current_setting('shop.is_staff', true) = 'yes');
create policy insert_all on shop.products for insert to shop_visitor with check (true);
grant usage on schema shop to shop_visitor;
grant select on all tables in schema shop to shop_visitor;
grant insert on shop.products to shop_visitor;

insert into shop.makers (name, email) select 'Maker ' || n, case when n % 2 = 0 then 'maker' || n || '@example.com' end from generate_series(1, 10) n;
insert into shop.tags (word) select 'tag' || n from generate_series(1, 20) n;
insert into shop.products (maker_id, name, price, size, is_secret, added_at)
  select 1 + n % 10, 'Product ' || n, 1 + n % 50, case when n % 3 = 0 then 'LARGE' else 'SMALL' end::shop.size, n % 11 = 0,
         timestamptz '2026-01-01 00:00:00+00' + n * interval '1 hour'
    from generate_series(1, 500) n;
insert into shop.product_tags select n, 1 + (n * k) % 20 from generate_series(1, 500) n, generate_series(1, 3) k on conflict do nothing;
analyze;
