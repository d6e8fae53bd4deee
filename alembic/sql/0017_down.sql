DROP TABLE chat_shares;
DROP FUNCTION leaf_shared_chat(text);
DROP FUNCTION leaf_share_content();
DROP FUNCTION leaf_shared_content(uuid, uuid[]);
DROP FUNCTION leaf_shared_parts(jsonb);
DROP FUNCTION leaf_shared_coverage(jsonb);
DROP FUNCTION leaf_web_address(text);
