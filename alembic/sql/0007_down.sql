-- A value of an enum cannot be taken away: what waits is ended, and the value stays without use.
UPDATE messages SET status = 'stopped' WHERE status::text = 'waiting';
ALTER TABLE messages DROP COLUMN answers;
