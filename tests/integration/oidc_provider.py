"""An OpenID Connect provider that lies as a test wants it to. It runs in a thread and listens on loopback."""

import json
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import rsa
from jwt.algorithms import RSAAlgorithm

from leaf import config


class Provider:
    """The provider `company`; its answers are this object's attributes."""

    def __init__(self) -> None:
        self.key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), type("_Bound", (_Handler,), {"provider": self}))
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"
        self.reset()

    def reset(self) -> None:
        self.token_answer: dict[str, Any] = {}
        self.discovery: dict[str, Any] = {
            "issuer": self.url,
            "authorization_endpoint": f"{self.url}/authorize",
            "token_endpoint": f"{self.url}/token",
            "jwks_uri": f"{self.url}/certs",
        }
        public = RSAAlgorithm.to_jwk(self.key.public_key(), as_dict=True)
        self.certificates: Any = {"keys": [{**public, "kid": "one", "use": "sig", "alg": "RS256"}]}

    def settings(self) -> config.SignInProvider:
        return config.SignInProvider(
            id="company", label="Company", issuer=self.url, client_id="leaf-at-company", client_secret="company-secret"
        )

    def claims(self, nonce: str, /, **changes: Any) -> dict[str, Any]:
        now = int(time.time())
        made = {
            "iss": self.url, "aud": "leaf-at-company", "sub": "7", "iat": now, "exp": now + 600, "nonce": nonce,
            "email": "eve@company.example", "email_verified": True, "name": "Eve Example", "given_name": "Eve",
        }  # fmt: skip
        return {name: value for name, value in {**made, **changes}.items() if value is not None}

    def grants(self, id_token: str | None) -> None:
        """The answer of the token endpoint from now on."""
        answer = {"access_token": "company-access", "token_type": "Bearer", "expires_in": 600, "id_token": id_token}
        self.token_answer = {name: value for name, value in answer.items() if value is not None}

    def signed(self, claims: dict[str, Any], *, key: Any = None, algorithm: str = "RS256", kid: str = "one") -> str:
        # PyJWT's own `encode` refuses claims of other types.
        claimed = json.dumps(claims).encode()
        return jwt.PyJWS().encode(claimed, key if key is not None else self.key, algorithm, headers={"kid": kid})


class _Handler(BaseHTTPRequestHandler):
    provider: Provider

    def do_GET(self) -> None:
        known = {"/.well-known/openid-configuration": self.provider.discovery, "/certs": self.provider.certificates}
        self._send(known.get(self.path))

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers.get("content-length", 0)))
        self._send(self.provider.token_answer)

    def _send(self, answer: Any) -> None:
        body = answer.encode() if isinstance(answer, str) else json.dumps(answer).encode()
        self.send_response(404 if answer is None else 200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the base class names it
        """Tests are quiet."""


@pytest.fixture(scope="session")
def oidc_provider() -> Iterator[Provider]:
    provider = Provider()
    thread = threading.Thread(target=provider.server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    yield provider
    provider.server.shutdown()
    provider.server.server_close()
    thread.join(5)
