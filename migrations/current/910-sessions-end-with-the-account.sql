-- Sessions end with the password that opened them, and with a ban: also when a DBA changes the one or sets the other. Until
-- now only change_password() ended them, and a session came back to life when a ban was lifted.
--!include functions/tg_accounts__end_sessions.sql
create or replace trigger _500_end_sessions after update on app_private.accounts
  for each row when (old.password_hash is distinct from new.password_hash or old.banned_at is distinct from new.banned_at)
  execute function app_hidden.tg_accounts__end_sessions();
--!include functions/check_password.sql
--!include functions/change_password.sql
