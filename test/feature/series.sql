-- Series: posts of one author in the order that the author gives them.
drop table if exists app_public.series_posts, app_public.series cascade;
create table app_public.series (
  id        bigint generated always as identity primary key,
  author_id bigint not null references app_public.users on delete cascade,
  title     text not null,
  constraint series_title_length_check check (char_length(title) between 1 and 100)
);
comment on table app_public.series is E'@listName allSeries\nPosts of one author, in an order.';
comment on column app_public.series.id is $$Identifies the series.$$;
comment on column app_public.series.author_id is $$The author of the series and of its posts.$$;
comment on column app_public.series.title is $$The title of the series.$$;
comment on constraint series_title_length_check on app_public.series is $$A title needs between 1 and 100 characters.$$;
create index series_author_id_id_idx on app_public.series (author_id, id);

create table app_public.series_posts (
  series_id bigint not null references app_public.series on delete cascade,
  post_id   bigint not null references app_public.posts on delete cascade,
  position  int not null,
  constraint series_posts_pkey primary key (series_id, post_id)
);
comment on table app_public.series_posts is E'@manyToMany\nThe posts of a series.';
comment on column app_public.series_posts.series_id is $$The series.$$;
comment on column app_public.series_posts.post_id is $$The post.$$;
comment on column app_public.series_posts.position is $$The place of the post. Lower ones come first.$$;
comment on constraint series_posts_series_id_fkey on app_public.series_posts is E'@listOrder position, post_id\n@describe list In the order of the series.';
create index series_posts_series_id_position_post_id_idx on app_public.series_posts (series_id, position, post_id);
create index series_posts_post_id_idx on app_public.series_posts (post_id);
select conventions.apply_to('app_public.series', '{title}'), conventions.apply_to('app_public.series_posts');

create policy select_all on app_public.series for select to :API_ANONYMOUS, :API_MEMBER using (true);
create policy insert_own on app_public.series for insert to :API_MEMBER with check (author_id = (select app_hidden.viewer_id()));
create policy select_visible on app_public.series_posts for select to :API_ANONYMOUS, :API_MEMBER
  using (exists (select from app_public.posts where posts.id = post_id offset 0));
create policy write_own on app_public.series_posts for all to :API_MEMBER
  using (exists (select from app_public.series where series.id = series_id and author_id = (select app_hidden.viewer_id()) offset 0)
     and exists (select from app_public.posts where posts.id = post_id and author_id = (select app_hidden.viewer_id()) offset 0));
grant select on app_public.series, app_public.series_posts to :API_ANONYMOUS, :API_MEMBER;
grant insert (author_id, title) on app_public.series to :API_MEMBER;
grant insert (series_id, post_id, position), update (position), delete on app_public.series_posts to :API_MEMBER;

create or replace function app_public.create_series(title text) returns app_public.series
language sql volatile set search_path = pg_catalog, pg_temp as $$
  insert into app_public.series (author_id, title) values (app_hidden.viewer_id(), create_series.title) returning *
$$;
comment on function app_public.create_series(text) is $$Creates a series with you as its author.$$;
create or replace function app_public.add_to_series(series_id bigint, post_id bigint, "position" int) returns app_public.series
language sql volatile set search_path = pg_catalog, pg_temp as $$
  select app_hidden.require_row('app_public.posts', add_to_series.post_id, 'post');
  select app_hidden.require_row('app_public.series', add_to_series.series_id, 'series');
  insert into app_public.series_posts (series_id, post_id, position) values (add_to_series.series_id, add_to_series.post_id, add_to_series.position)
  on conflict on constraint series_posts_pkey do update set position = excluded.position;
  select * from app_public.series where id = add_to_series.series_id
$$;
comment on function app_public.add_to_series(bigint, bigint, int) is
  E'@describe series_id The series.\n@describe post_id The post.\n@describe position Its place, from 1 on.\nAdds a post of yours to a series of yours, or moves it there.';
grant execute on function app_public.create_series(text), app_public.add_to_series(bigint, bigint, int) to :API_MEMBER;
