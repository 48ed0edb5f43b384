--! Previous: sha1:cb206ace86c909268924190636d13477e580af0c
--! Hash: sha1:e744cf5944d979a351a94c5cdea83ab89dee68be
--! Message: lists have their indexes

--! split: 500-lists-have-their-indexes.sql
-- auditTrail(action:) reads the newest entries of that action from the index.
create index if not exists audit_trail_action_changed_at_id_idx on app_public.audit_trail (action, changed_at desc, id desc);
