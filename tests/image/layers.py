"""Builds the stages of a Containerfile as layers of files, each step in one of its own, as container engines do.

A step's layer is kept and found again by a hash of all that it is made of. Needs Linux, root, and Debian's mmdebstrap
(fetched and unpacked, not installed), which makes the image that the file begins with.
"""

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from tests.image import containerfile
from tests.image.compose import ROOT
from tests.image.containerfile import Image, Step

BASE_ENVIRONMENT = {"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"}
_AUTHORITIES = Path("/etc/ssl/certs/ca-certificates.crt")
_AUTHORITY_VARIABLES = ("SSL_CERT_FILE", "PIP_CERT", "REQUESTS_CA_BUNDLE", "NODE_EXTRA_CA_CERTS")
_PASSED = ("http_proxy", "https_proxy", "no_proxy", "PIP_INDEX_URL", "UV_DEFAULT_INDEX", "NPM_CONFIG_REGISTRY")
"""Variables of this machine by which it reaches its package registries; an engine takes them as build arguments."""
_APART = ("unshare", "--mount", "--pid", "--fork", "--kill-child")
_INSIDE = """
set -e
cd "$LAYERS"
mount -t overlay overlay -o "lowerdir=$LOWER,upperdir=$UPPER,workdir=$WORK" "$ROOT"
mount -t proc proc "$ROOT/proc"
mount --rbind /dev "$ROOT/dev"
mount -t tmpfs tmpfs "$ROOT/run"
touch "$ROOT/run/authorities" "$ROOT/etc/resolv.conf"
test ! -e "$AUTHORITIES" || mount --bind -o ro "$AUTHORITIES" "$ROOT/run/authorities"
mount --bind -o ro /etc/resolv.conf "$ROOT/etc/resolv.conf"
exec chroot --userspec="$WHO" "$ROOT" /usr/bin/env -i "${@}"
"""


@dataclass(frozen=True)
class Built:
    """A stage that is built: its layers, the lowest first."""

    image: Image
    layers: tuple[Path, ...]

    @property
    def bytes(self) -> int:
        """The space that its files take, those hidden by a later layer included."""
        sizes = subprocess.run(["du", "-sb", *self.layers], check=True, capture_output=True, text=True).stdout
        return sum(int(line.split()[0]) for line in sizes.splitlines())


@dataclass
class Builder:
    """Builds in a folder, where layers of earlier builds are found."""

    folder: Path
    used: set[Path] = field(default_factory=set[Path])

    def build(self, text: str, ignore: str) -> Built:
        """Carries out a Containerfile; gives its last stage."""
        (self.folder / "layers").mkdir(parents=True, exist_ok=True)
        files = containerfile.sent(ROOT, ignore)
        built: dict[str, Built] = {}
        last: Built | None = None
        for image in containerfile.stages(text, BASE_ENVIRONMENT):
            layers = built[image.base].layers if image.base in built else (self._base(image.base),)
            for step in image.steps:
                layers = (*layers, self._step(step, layers, built, files))
            last = built[image.name] = Built(image, layers)
        assert last is not None, "the Containerfile has no stage"
        return last

    def forget_unused(self) -> None:
        """Removes layers that the last build had no use for."""
        for layer in (self.folder / "layers").iterdir():
            if layer not in self.used:
                shutil.rmtree(layer)

    def _base(self, name: str) -> Path:
        """The files of `debian:<release>-slim`: Debian's smallest system, by mmdebstrap."""
        release = re.fullmatch(r"debian:([a-z]+)-slim", name)
        if release is None:
            raise containerfile.NotUnderstood(f"FROM {name}")
        command = [*_mmdebstrap(self.folder), "--mode=root", "--variant=minbase", "--quiet", release[1]]
        return self._layer(name, name, lambda layer: subprocess.run([*command, str(layer)], check=True))

    def _step(self, step: Step, below: tuple[Path, ...], built: dict[str, Built], files: list[Path]) -> Path:
        described = [[layer.name for layer in below], repr(step)]
        copied = _of(step.sources, files) if step.kind == "COPY" and not step.stage else []
        described += [f"{path} {_digest(ROOT / path)}" for path in copied]
        if step.stage:
            described += [layer.name for layer in built[step.stage].layers]

        def fill(layer: Path) -> None:
            if step.kind == "RUN":
                self._run(step, below, layer)
            elif step.kind == "WORKDIR":
                (layer / step.text[1:]).mkdir(parents=True)
            elif step.stage:
                self._copy_stage(step, built[step.stage], layer)
            else:
                _copy(step, copied, layer)

        return self._layer(json.dumps(described), f"{step.kind} {' '.join(step.sources)} {step.text}", fill)

    def _layer(self, described: str, shown: str, fill: Callable[[Path], object]) -> Path:
        """The folder of a layer: that of an earlier build, or a new one.

        Args:
            described: All that the layer is made of.
            shown: What is printed of it.
            fill: Fills a new one.
        """
        key = hashlib.sha256(described.encode()).hexdigest()[:16]
        layer, unfinished = self.folder / "layers" / key, self.folder / "layers" / f"{key}.new"
        self.used.add(layer)
        began = time.monotonic()
        if not layer.exists():
            shutil.rmtree(unfinished, ignore_errors=True)
            unfinished.mkdir(mode=0o755)
            fill(unfinished)
            unfinished.rename(layer)
            sys.stdout.write(f"  {time.monotonic() - began:6.1f} s  {' '.join(shown.split())[:110]}\n")
            sys.stdout.flush()
        return layer

    def _run(self, step: Step, below: tuple[Path, ...], layer: Path) -> None:
        for name in ("root", "work"):
            (self.folder / name).mkdir(exist_ok=True)
        passed = {name: os.environ[name] for name in _PASSED if name in os.environ}
        if _AUTHORITIES.exists():
            passed |= dict.fromkeys(_AUTHORITY_VARIABLES, "/run/authorities")
        variables = {"HOME": "/root"} | passed | step.environment
        command = ["-C", step.folder, *(f"{name}={value}" for name, value in variables.items()), "/bin/sh", "-c"]
        log = self.folder / "build.log"
        with log.open("wb") as output:
            finished = subprocess.run(
                [*_APART, "bash", "-c", _INSIDE, "bash", *command, step.text],
                check=False, stdin=subprocess.DEVNULL, stdout=output, stderr=output,
                env={
                    "PATH": os.environ["PATH"], "LAYERS": str(self.folder / "layers"), "LOWER": lower(below),
                    "UPPER": str(layer), "WORK": str(self.folder / "work"), "ROOT": str(self.folder / "root"),
                    "AUTHORITIES": str(_AUTHORITIES), "WHO": step.user,
                },
            )  # fmt: skip
        if finished.returncode != 0:
            sys.exit(
                f"RUN {step.text}\nends with status {finished.returncode}:\n{log.read_text(errors='replace')[-4000:]}"
            )

    def _copy_stage(self, step: Step, stage: Built, layer: Path) -> None:
        """Copies from another stage, whose files are seen through all of its layers."""
        (source,) = step.sources
        target = layer / step.text[1:]
        target.parent.mkdir(parents=True, exist_ok=True)
        script = 'cd "$1" && mount -t overlay overlay -o "lowerdir=$2" "$3" && cp -a "$3$4" "$5"'
        root = self.folder / "root"
        root.mkdir(exist_ok=True)
        arguments = [self.folder / "layers", lower(stage.layers), root, source, target]
        subprocess.run(["unshare", "--mount", "bash", "-c", script, "bash", *map(str, arguments)], check=True)


def files() -> tuple[str, str]:
    """The Containerfile and `.dockerignore`."""
    return (ROOT / "deploy" / "Containerfile").read_text(), (ROOT / ".dockerignore").read_text()


def lower(layers: tuple[Path, ...]) -> str:
    """Layers as overlayfs takes them: the uppermost first. Relative, because the list may have 4,096 bytes at most."""
    return ":".join(layer.name for layer in reversed(layers))


def _of(sources: tuple[str, ...], files: list[Path]) -> list[Path]:
    """The files that lie at or below the sources."""
    found: list[Path] = []
    for source in sources:
        below = [path for path in files if path.is_relative_to(Path(source))]
        if not below:
            raise FileNotFoundError(f"COPY {source}: no such file, or .dockerignore keeps it out")
        found += below
    return found


def _copy(step: Step, copied: list[Path], layer: Path) -> None:
    """Copies files of the project: a folder's content into the destination, files into a destination with a slash."""
    target = layer / os.path.normpath(f"{step.folder}/{step.text}")[1:]
    for path in copied:
        source = next(Path(one) for one in step.sources if path.is_relative_to(Path(one)))
        place = target / (path.name if path == source else path.relative_to(source))
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / path, place)


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes() + oct(path.stat().st_mode).encode()).hexdigest()


def _mmdebstrap(folder: Path) -> list[str]:
    """The command of Debian's mmdebstrap: this machine's, or the package, fetched and unpacked."""
    installed, unpacked = shutil.which("mmdebstrap"), folder / "mmdebstrap"
    if installed is None and not unpacked.exists():
        fetched = folder / "packages"
        fetched.mkdir(exist_ok=True)
        # As root, apt would fetch as a user of its own, who may not write here.
        command = ["apt-get", "download", "-qq", "-o", "APT::Sandbox::User=root", "mmdebstrap"]
        if subprocess.run(command, cwd=fetched, check=False).returncode != 0:
            subprocess.run(["apt-get", "update", "-qq"], check=True)
            subprocess.run(command, cwd=fetched, check=True)
        (archive,) = fetched.glob("mmdebstrap_*.deb")
        subprocess.run(["dpkg-deb", "-x", str(archive), str(unpacked)], check=True)
        shutil.rmtree(fetched)
    return [installed] if installed else ["perl", str(unpacked / "usr/bin/mmdebstrap")]
