DROP FUNCTION leaf_overdue_client_calls(integer);
ALTER TABLE messages DROP COLUMN client_tools, DROP COLUMN client_calls, DROP COLUMN client_due_at;
UPDATE usage_entries SET purpose = 'related' WHERE purpose = 'plan' AND NOT EXISTS (
    SELECT FROM usage_entries other
    WHERE other.run_id = usage_entries.run_id AND other.user_id = usage_entries.user_id AND other.purpose = 'related'
);
DELETE FROM usage_entries WHERE purpose = 'plan';
ALTER TABLE usage_entries DROP CONSTRAINT usage_entries_purpose_check;
ALTER TABLE usage_entries ADD CONSTRAINT usage_entries_purpose_check
    CHECK (purpose IN ('answer', 'title', 'related', 'summary'));
