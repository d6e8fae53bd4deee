DROP FUNCTION leaf_next_queued(uuid);
DROP TABLE queued_messages;
