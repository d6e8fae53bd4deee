DROP FUNCTION leaf_touch_api_key(text);
DROP FUNCTION leaf_api_key(text);
DROP TABLE api_keys;
