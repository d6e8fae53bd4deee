-- The administration page names the page of Google's console for the project itself.

DROP FUNCTION leaf_admin_drives();

CREATE FUNCTION leaf_admin_drives() RETURNS TABLE(cause text, members bigint, link text)
    LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    PERFORM leaf_require_administrator();
    RETURN QUERY SELECT i.diagnosis->>'cause', count(DISTINCT i.user_id), max(i.diagnosis->'particulars'->>'link')
    FROM integrations i WHERE i.diagnosis IS NOT NULL GROUP BY 1 ORDER BY 2 DESC, 1;
END
$$;
REVOKE ALL ON FUNCTION leaf_admin_drives() FROM PUBLIC;
GRANT ALL ON FUNCTION leaf_admin_drives() TO leaf_app;
