"""Leaf's web processes behind nginx, by the example in deploy/, with nothing changed but names, addresses and ports."""

import datetime as dt
import ipaddress
import os
import signal
import ssl
import subprocess
import sys
from pathlib import Path

import httpx
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from tests import nginx
from tests.acceptance.stack import REPOSITORY, START_SECONDS, Stack, start_process, until
from tests.browser.product import free_port

EXAMPLE = REPOSITORY / "deploy" / "nginx.conf"
IMPATIENT_SECONDS = 1
"""A proxy like this gives up after so many seconds and takes bodies of a kilobyte: the example must set more."""

_AROUND = """
{user}
pid {folder}/nginx.pid;
error_log {folder}/error.log info;
events {{ worker_connections 20000; }}
http {{
    access_log off;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    proxy_read_timeout {seconds}s;
    proxy_send_timeout {seconds}s;
    send_timeout {seconds}s;
    client_max_body_size 1k;
    include {folder}/leaf.conf;
}}
"""


class Nginx:
    """nginx with a certificate of its own, before web processes on loopback.

    Args:
        folder: Where its configuration, certificate and logs are.
        webs: The ports of the web processes.
        seconds: Its patience where the example says nothing else.
    """

    def __init__(self, folder: Path, webs: list[int], *, seconds: int = IMPATIENT_SECONDS) -> None:
        self._folder, self._webs, self._seconds = folder, webs, seconds
        self.https, self.http = free_port(), free_port()
        self.url = f"https://localhost:{self.https}"
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def trust(self) -> ssl.SSLContext:
        """Trusts the certificate of this nginx, and no other."""
        return ssl.create_default_context(cafile=str(self._folder / "fullchain.pem"))

    @property
    def pids(self) -> list[int]:
        """The process, if it runs."""
        return [] if self._process is None else [self._process.pid]

    def start(self) -> None:
        """Starts it."""
        _certify(self._folder)
        (self._folder / "leaf.conf").write_text(self._site())
        user = "user root;" if os.geteuid() == 0 else ""
        around = _AROUND.format(folder=self._folder, user=user, seconds=self._seconds)
        (self._folder / "nginx.conf").write_text(around)
        program = nginx.find()
        assert program is not None, "no nginx: run `make nginx`"
        command = [program, "-c", str(self._folder / "nginx.conf"), "-g", "daemon off;"]
        self._process = start_process(command, self._folder / "nginx.log")

    def _site(self) -> str:
        text = EXAMPLE.read_text()
        server = "server 127.0.0.1:3000 max_fails=1 fail_timeout=5s;"
        for named, here in (
            ("listen 443 ssl http2;", f"listen 127.0.0.1:{self.https} ssl http2;"),
            ("listen 80;", f"listen 127.0.0.1:{self.http};"),
            (server, "\n    ".join(server.replace("3000", str(port)) for port in self._webs)),
            ("/etc/nginx/leaf/", f"{self._folder}/"),
            ("leaf.example.org", "localhost"),
            ("/var/log/nginx/", f"{self._folder}/"),
        ):
            assert named in text, f"{EXAMPLE} has no {named} any more"
            text = text.replace(named, here)
        return text

    async def ready(self) -> None:
        """Waits until Leaf answers through it."""
        async with httpx.AsyncClient(base_url=self.url, verify=self.trust, trust_env=False) as http:

            async def answers() -> bool:
                assert self._process is not None
                assert self._process.poll() is None, (self._folder / "nginx.log").read_text()
                try:
                    return (await http.get("/healthz")).is_success
                except httpx.TransportError:
                    return False

            await until(answers, seconds=START_SECONDS, what="Leaf behind nginx")

    def stop(self) -> None:
        """Ends it."""
        if self._process is not None:
            self._process.terminate()
            self._process.wait(10)


class Proxied(Nginx):
    """A web process, and nginx in front of it. `url` is the one of nginx, `direct` the one of the web process."""

    def __init__(self, stack: Stack, folder: Path) -> None:
        self._stack, self._port = stack, free_port()
        super().__init__(folder, [self._port])
        self.direct = f"http://127.0.0.1:{self._port}"
        self._web: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Starts both."""
        environment = self._stack.environment() | {
            "PORT": str(self._port),
            "GRANIAN_WORKERS": "1",
            "LEAF_URL": self.url,
            "LEAF_TRUSTED_PROXIES": "127.0.0.1",
            "REFLEX_WEB_WORKDIR": str(self._stack.folder / "pages"),
            "REFLEX_TELEMETRY_ENABLED": "false",
            "REFLEX_CHECK_LATEST_VERSION": "0",
        }
        command = [sys.executable, "-m", "tests.serve", str(self._port), "--routes-only"]
        log = self._stack.folder / "log" / f"web-{self._port}.log"
        self._web = start_process(command, log, environment, folder=REPOSITORY)
        super().start()

    def stop(self) -> None:
        """Ends both."""
        super().stop()
        if self._web is not None:
            os.killpg(self._web.pid, signal.SIGKILL)
            self._web.wait()


def _certify(folder: Path) -> None:
    """A certificate of this machine's own for `localhost`, and its key."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "localhost")])
    now = dt.datetime.now(dt.UTC)
    named = x509.SubjectAlternativeName([x509.DNSName("localhost"), x509.IPAddress(ipaddress.ip_address("127.0.0.1"))])
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - dt.timedelta(hours=1))
        .not_valid_after(now + dt.timedelta(days=1))
        .add_extension(named, critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    (folder / "fullchain.pem").write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    (folder / "privkey.pem").write_bytes(private)
