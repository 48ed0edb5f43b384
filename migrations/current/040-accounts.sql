-- Accounts, sessions, retention and the audit trail.

--!include functions/has_long_mark_run.sql
--!include functions/email_text.sql
--!include functions/account_key.sql
--!include functions/password_faults.sql
--!include functions/check_password.sql
--!include functions/create_user.sql
-- Sign-in looks for normal form C, so e-mails that were stored in another form are converted.
update app_private.accounts set email = app_private.email_text(email)
 where email <> app_private.email_text(email)
   and not exists (select from app_private.accounts other
                    where lower(other.email) = lower(app_private.email_text(accounts.email)) and other.user_id <> accounts.user_id);
