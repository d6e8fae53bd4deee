DROP FUNCTION leaf_tenant_chat(uuid), leaf_tenant_run(uuid);
