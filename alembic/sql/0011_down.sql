ALTER TABLE messages DROP CONSTRAINT messages_part_kinds_check;
