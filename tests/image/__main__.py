"""`python -m tests.image`: builds the image of deploy/Containerfile, and walks through what deploy/compose.yaml starts.

The build needs a network, the walk has none: it runs in a network namespace from which nothing leads out.
IMAGE_FOLDER names where layers are kept from build to build.
"""

import os
import subprocess
import sys
import time
from pathlib import Path

from tests.image import layers
from tests.image.compose import ROOT


def main() -> None:
    """Builds and walks; says how long each step took."""
    if sys.platform != "linux" or os.geteuid() != 0:
        sys.exit("The image is built and run in namespaces of Linux: this needs root.")
    began = time.monotonic()
    builder = layers.Builder(Path(os.environ.get("IMAGE_FOLDER") or ROOT / ".venv" / "share" / "image").absolute())
    sys.stdout.write("Building deploy/Containerfile ...\n")
    built = builder.build(*layers.files())
    builder.forget_unused()
    sys.stdout.write(f"Built in {time.monotonic() - began:.0f} s: {built.bytes / 1e6:.0f} MB\nWalking ...\n")
    sys.stdout.flush()
    walk = ["unshare", "--net", sys.executable, "-m", "tests.image.walk", str(builder.folder)]
    if subprocess.run(walk, cwd=ROOT, check=False).returncode != 0:
        sys.exit("The image is built, but does not do what it should.")
    sys.stdout.write(f"All of it in {time.monotonic() - began:.0f} s\n")


if __name__ == "__main__":
    main()
