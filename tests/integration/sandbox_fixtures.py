"""A running sandbox for tests: `sandbox_process` for the whole suite, `running_sandbox` for one of one's own.

Import the fixture into a test module (`from tests.integration.sandbox_fixtures import sandbox_process`) to use it.
"""

import base64
import hashlib
import secrets
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import httplib2
import httpx
import pytest
from google.oauth2.credentials import Credentials
from google_auth_httplib2 import AuthorizedHttp
from googleapiclient.discovery import build

from leaf import config

CLIENT = {"client_id": config.SANDBOX_CLIENT_ID, "client_secret": config.SANDBOX_CLIENT_SECRET}
IDENTITY = "openid email profile"
DRIVE = "https://www.googleapis.com/auth/drive.readonly"
REDIRECT = "http://localhost:3000/api/auth/callback/google"


def free_port() -> int:
    """A port of this machine that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@dataclass
class SandboxProcess:
    """The sandbox as a process of its own, and a person who uses it."""

    state_dir: Path
    arguments: tuple[str, ...] = ()
    module: str = "sandbox"
    port: int = field(default_factory=free_port)
    process: "subprocess.Popen[bytes] | None" = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> None:
        command = [sys.executable, "-m", self.module, "--port", str(self.port), "--state", str(self.state_dir)]
        self.process = subprocess.Popen([*command, *self.arguments])
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            try:
                if httpx.get(f"{self.url}/health").status_code == 200:
                    return
            except httpx.TransportError:
                assert self.process.poll() is None, "the sandbox ended at its start"
                time.sleep(0.05)
        raise TimeoutError("the sandbox did not start")

    def kill(self) -> None:
        """As `kill -9` does."""
        assert self.process is not None
        self.process.kill()
        self.process.wait(10)

    def stop(self) -> None:
        if self.process is not None and self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(10)
            except subprocess.TimeoutExpired:
                self.kill()

    def reset(self) -> None:
        """Forgets faults and the request log."""
        httpx.delete(f"{self.url}/sandbox/faults").raise_for_status()
        httpx.delete(f"{self.url}/sandbox/requests").raise_for_status()

    def fault(self, **fault: Any) -> None:
        httpx.post(f"{self.url}/sandbox/faults", json=fault).raise_for_status()

    def requests(self, path: str = "") -> list[dict[str, Any]]:
        """The logged requests whose path contains `path`."""
        logged = httpx.get(f"{self.url}/sandbox/requests").json()["requests"]
        return [entry for entry in logged if path in entry["path"]]

    def consent(
        self, account: str = "ada", scope: str = DRIVE, *, decision: str = "allow", ticked: bool = True, **query: str
    ) -> httpx.URL:
        """Answers the consent page like a browser; the redirect that follows."""
        asked = {
            "client_id": CLIENT["client_id"], "redirect_uri": REDIRECT, "response_type": "code", "scope": scope,
            "state": "xyz", "access_type": "offline", "prompt": "consent", **query,
        }  # fmt: skip
        page = httpx.get(f"{self.url}/o/oauth2/v2/auth", params=asked)
        assert page.status_code == 200, page.text
        granted = [name for name in scope.split() if name.startswith("https://")] if ticked else []
        form = {**asked, "account": account, "granted": granted, "decision": decision}
        answer = httpx.post(f"{self.url}/o/oauth2/v2/auth", data=form, headers={"Origin": self.url})
        assert answer.status_code == 303, answer.text
        return httpx.URL(answer.headers["location"])

    def exchange(self, code: str, **form: str) -> httpx.Response:
        data = {**CLIENT, "grant_type": "authorization_code", "code": code, "redirect_uri": REDIRECT, **form}
        return httpx.post(f"{self.url}/token", data=data)

    def sign_in(self, account: str = "ada", scope: str = DRIVE, **query: str) -> dict[str, Any]:
        """Consent and code exchange with PKCE; the token endpoint's answer."""
        verifier = secrets.token_urlsafe(48)
        challenge = base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).decode().rstrip("=")
        location = self.consent(account, scope, code_challenge=challenge, code_challenge_method="S256", **query)
        answer = self.exchange(location.params["code"], code_verifier=verifier)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def drive(self, access_token: str) -> Any:
        """Google's own client, as Leaf builds it; `close()` it in the end."""
        http = AuthorizedHttp(Credentials(token=access_token), http=httplib2.Http(timeout=60))
        return build(
            "drive", "v3", static_discovery=True, http=http, client_options={"api_endpoint": f"{self.url}/drive/v3/"}
        )

    def get(self, access_token: str, path: str, **params: str) -> httpx.Response:
        headers = {"Authorization": f"Bearer {access_token}"}
        return httpx.get(f"{self.url}{path}", params=params, headers=headers, timeout=60)

    def authorize_url(self, **query: str) -> str:
        return f"{self.url}/o/oauth2/v2/auth?{urlencode(query)}"


@contextmanager
def running_sandbox(state_dir: Path, *arguments: str, module: str = "sandbox") -> Iterator[SandboxProcess]:
    """A sandbox process of one's own."""
    sandbox = SandboxProcess(state_dir, arguments, module)
    sandbox.start()
    try:
        yield sandbox
    finally:
        sandbox.stop()


@pytest.fixture(scope="session")
def sandbox_process(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SandboxProcess]:
    """One sandbox with the sample Drive for all tests; call `reset()` before counting requests."""
    with running_sandbox(tmp_path_factory.mktemp("sandbox")) as sandbox:
        yield sandbox
