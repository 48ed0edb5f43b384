-- Analysts learn nothing that they may not see, and can stop nobody's work.

--!include functions/published_posts.sql
--!include analytics/posts.sql
--!include analytics/authors.sql
--!include analytics/tags.sql

-- Advisory locks are out of reach for analysts.
--!include functions/close_database.sql
select app_private.close_database();
--!include functions/admit_analyst.sql
--!include functions/analysts.sql
