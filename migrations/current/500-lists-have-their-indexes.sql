-- auditTrail(action:) reads the newest entries of that action from the index.
create index if not exists audit_trail_action_changed_at_id_idx on app_public.audit_trail (action, changed_at desc, id desc);
