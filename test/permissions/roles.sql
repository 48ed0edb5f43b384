-- Two roles more, as a DBA's migration adds them.
select app_hidden.add_value('app_public.user_role', 'EDITOR', 'Edits the posts of others.'),
       app_hidden.add_value('app_public.user_role', 'MODERATOR', 'Decides reports, and bans users.');
insert into app_hidden.role_rights (role, may) values
  ('EDITOR', 'EDIT_ANY_POST'), ('EDITOR', 'PUBLISH'), ('MODERATOR', 'MODERATE'), ('MODERATOR', 'READ_REPORTS'), ('MODERATOR', 'BAN'), ('MODERATOR', 'PUBLISH')
on conflict do nothing;
