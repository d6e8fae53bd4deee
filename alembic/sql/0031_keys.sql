-- The reason of a lost connection as the key of a text. The sentence stays beside it for the version before.
ALTER TABLE integrations ADD COLUMN status_key text;
GRANT UPDATE (status_key) ON integrations TO leaf_app;
