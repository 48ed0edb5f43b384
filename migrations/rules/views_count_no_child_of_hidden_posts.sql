-- A comment, a tag or a read of a post that the public cannot see is in no number that an analyst reads: it would tell when somebody works on a draft. Count rollups.comments and rollups.published. changes_by_day counts all changes of tables, as pg_stat_user_tables does.
select view as offender from app_private.views_of_hidden_posts() as view
where view <> 'analytics.changes_by_day';
-- offence: create view analytics.said as select count(*) as comments from app_public.comments
-- offence: create view analytics.talkers as select author_id, count(*) as comments from app_public.comments group by 1
-- harmless: create view analytics.talkers as select author_id, count(*) as comments from rollups.comments group by 1
