"""A service of the image, as a container engine starts it: process 1 of a PID namespace, as the image's user without
any capability, on the image's files, which nobody can write to. The network is that of this process.
"""

import signal
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil

from tests.image.layers import Built, lower

_INSIDE = """
set -e
cd "$LAYERS"
mount -t overlay overlay -o "lowerdir=$LOWER" "$ROOT"
mount -t proc proc "$ROOT/proc"
mount -t tmpfs -o mode=755 tmpfs "$ROOT/dev"
for one in null zero full random urandom; do
    touch "$ROOT/dev/$one"
    mount --bind "/dev/$one" "$ROOT/dev/$one"
done
mkdir "$ROOT/dev/shm"
mount -t tmpfs -o mode=1777,size=64m tmpfs "$ROOT/dev/shm"
for one in $WRITABLE; do mount -t tmpfs -o mode=1777 tmpfs "$ROOT$one"; done
exec chroot "$ROOT" /usr/bin/setpriv "--reuid=$WHO" "--regid=$WHO" --clear-groups --no-new-privs \
    --bounding-set=-all --inh-caps=-all /usr/bin/env -i "${@}"
"""


@dataclass
class Container:
    """A started service. `process` is unshare's, whose only child is process 1 of the container."""

    name: str
    process: "subprocess.Popen[bytes]"
    log: Path
    grace_seconds: float

    @property
    def first(self) -> psutil.Process:
        """Process 1 of the container."""
        (first,) = psutil.Process(self.process.pid).children()
        return first

    def stop(self) -> tuple[int, float]:
        """Ends it as an engine does, with SIGTERM to process 1; gives its status and how long it took, in seconds."""
        began = time.monotonic()
        self.first.send_signal(signal.SIGTERM)
        try:
            status = self.process.wait(self.grace_seconds)
        except subprocess.TimeoutExpired:
            self.kill()
            raise TimeoutError(f"{self.name} does not end in {self.grace_seconds} s:\n{self.said()[-3000:]}") from None
        return status, time.monotonic() - began

    def kill(self) -> None:
        """Ends it at once; all of its processes go with process 1."""
        self.process.kill()
        self.process.wait(10)

    def finished(self, *, seconds: float) -> int:
        """Waits for its end; gives its status."""
        try:
            return self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            self.kill()
            raise TimeoutError(f"{self.name} goes on after {seconds} s:\n{self.said()[-3000:]}") from None

    def said(self) -> str:
        return self.log.read_text(errors="replace")


def start(
    built: Built, folder: Path, service: dict[str, Any], *, name: str, log: Path, variables: dict[str, str], added: Path
) -> Container:
    """Starts a service of the compose file.

    Args:
        built: The image.
        folder: Where its layers are.
        service: The service, as `compose.services` gives it.
        name: A name for messages.
        log: The file that takes its output.
        variables: Variables in place of the service's own.
        added: Files that are laid over those of the image: the addresses of the other services.
    """
    assert service["read_only"]
    assert service["cap_drop"] == ["ALL"]
    image = built.image
    user, home = user_of(built)
    environment = {"HOME": home, **image.environment, **service["environment"], **variables}
    command = [*service.get("command", image.command)]
    arguments = ["-C", image.folder, *(f"{variable}={value}" for variable, value in environment.items()), *command]
    (folder / "root").mkdir(exist_ok=True)
    with log.open("wb") as output:
        process = subprocess.Popen(
            ["unshare", "--mount", "--pid", "--fork", "--kill-child", "bash", "-c", _INSIDE, "bash", *arguments],
            env={
                "PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LAYERS": str(folder / "layers"), "ROOT": str(folder / "root"),
                "LOWER": f"{added}:{lower(built.layers)}", "WRITABLE": " ".join(service["tmpfs"]),
                "WHO": str(user),
            },
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )  # fmt: skip
    return Container(name, process, log, float(str(service.get("stop_grace_period", "10s")).removesuffix("s")))


def user_of(built: Built) -> tuple[int, str]:
    """The number and the home of the image's user, from the image's own list."""
    for layer in reversed(built.layers):
        accounts = layer / "etc" / "passwd"
        if accounts.exists():
            lines = [line.split(":") for line in accounts.read_text().splitlines()]
            return next((int(one[2]), one[5]) for one in lines if one[0] == built.image.user)
    raise LookupError(f"the image has no user {built.image.user}")


def entered(container: Container, *command: str) -> "subprocess.CompletedProcess[str]":
    """Runs a command in a running container, as its user and with its variables, as health checks do."""
    first = container.first
    variables = [f"{name}={value}" for name, value in first.environ().items()]
    user = str(first.uids().real)
    inside = ["setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups", "--no-new-privs", "env", "-i"]
    return subprocess.run(
        ["nsenter", "--target", str(first.pid), "--mount", "--pid", "--root", "--wd", *inside, *variables, *command],
        check=False, capture_output=True, text=True, timeout=60,
    )  # fmt: skip
