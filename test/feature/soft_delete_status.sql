-- Deleted posts stay for 30 days, as private as drafts.
select app_hidden.add_value('app_public.post_status', 'DELETED', 'Deleted: visible to its author only, and gone after 30 days. Another status restores it.');
