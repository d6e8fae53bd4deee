-- PostgreSQL lets everybody execute a new function. Leaf's functions are for leaf_app alone, as granted above; trigger
-- functions need no grant.
DO $$
DECLARE
    function regprocedure;
BEGIN
    FOR function IN
        SELECT oid FROM pg_proc WHERE pronamespace = 'public'::regnamespace AND proname LIKE 'leaf\_%'
    LOOP
        EXECUTE format('REVOKE ALL ON FUNCTION %s FROM PUBLIC', function);
    END LOOP;
END
$$;
