"""Which Chromium the browser tests drive: CHROMIUM_PATH, one on the PATH, Playwright's own, or Debian's package.

`python -m tests.chromium` finds one, and installs Debian's where apt-get can be used. Beside a whole Chromium it
installs the one without windows only as root, as in a container; elsewhere it asks nobody for a second one.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

SHELL = "chromium-headless-shell"
"""Debian's Chromium without windows: the walks take two thirds of the time that they take in the whole one."""
NAMES = (SHELL, "chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
# Chromium would otherwise look up addresses outside of this machine at every start.
FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
)


def find() -> str | None:
    """The path of a Chromium, if there is one."""
    named = os.environ.get("CHROMIUM_PATH")
    if named:
        return named
    for name in NAMES:
        found = shutil.which(name)
        if found:
            return found
    return _playwrights_own()


def _playwrights_own() -> str | None:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        path = playwright.chromium.executable_path
    return path if Path(path).exists() else None


def main() -> None:
    """Makes sure that there is one."""
    found = find()
    if found is None:
        _install(SHELL, "chromium")
    elif "CHROMIUM_PATH" not in os.environ and Path(found).name != SHELL and os.geteuid() == 0:
        _install(SHELL)
    path = find()
    if path is None:
        sys.exit("The browser tests need Chromium: install one, or name it in CHROMIUM_PATH.")
    sys.stdout.write(f"Browser: {path}\n")


def _install(*names: str) -> None:
    """Installs the first of these packages that there is."""
    apt_get = shutil.which("apt-get")
    if apt_get is None:
        return
    sudo = [] if os.geteuid() == 0 else ["sudo", "-n"]
    sys.stdout.write("Installing Debian's Chromium for the browser tests ...\n")
    sys.stdout.flush()
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    brief = ["-qq", "-o", "Acquire::Retries=1", "-o", "Acquire::http::Timeout=20"]
    subprocess.run([*sudo, apt_get, "update", *brief], check=False, env=environment)
    for name in names:
        packages = [name, "fonts-noto-color-emoji"]
        subprocess.run([*sudo, apt_get, "install", "-y", *brief, *packages], check=False, env=environment)
        if shutil.which(name):
            return


if __name__ == "__main__":
    main()
