-- Made by npm run db:snapshot from the catalogue. A change is a migration (migrations/README.md).
-- The kept facts of a month and a month of sign-up: users who created a post or a comment.
create table app_private.month_cohort_facts (
  month        date not null, -- The kept value of month.
  cohort       date not null, -- The kept value of cohort.
  active_users bigint not null, -- The kept value of active users.
  constraint month_cohort_facts_pkey primary key (month, cohort)
);
