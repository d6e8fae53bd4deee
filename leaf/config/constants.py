"""Names that the settings and their checks share."""

SANDBOX_CLIENT_ID = "leaf-sandbox"
SANDBOX_CLIENT_SECRET = "leaf-sandbox-secret"  # noqa: S105 - the sandbox's public, fixed client, no secret
