"""`python -m leaf models`: which models answer here, and why others do not."""

import argparse
import sys
from collections.abc import Iterable

from leaf import catalog, config, errors
from leaf.catalog import Kind, Mode


def models() -> str:
    """What is enabled, and why something is not: one line per mode and type, and one per model."""
    settings = config.load()
    lines: list[str] = []
    for mode in Mode:
        for kind in Kind:
            model = catalog.select(settings, mode, kind).model
            lines.append(f"{mode:<9}{kind:<9}{model}")
    lines += [f"{'beside':<9}{purpose:<9}{catalog.beside(settings, purpose)}" for purpose in ("title", "related")]
    lines.append("")
    listed = catalog.table(settings.models_file, cloud=settings.cloud).every
    known = dict.fromkeys((*catalog.offered(settings), *listed))
    width = max(map(len, known))
    for model in known:
        reason = catalog.why_not(settings, model)
        lines.append(f"{model:<{width}}  {f'off: {reason}' if reason else 'on'}")
    if settings.model:
        lines.append(f"\nLEAF_MODEL={settings.model} stands in place of the table.")
    return "\n".join([*lines, *_unlisted(settings, known)])


def _unlisted(settings: config.Settings, known: Iterable[str]) -> list[str]:
    """Providers of which no model is named: somebody may have set their variables and wonder."""
    listed = {model.partition(":")[0] for model in known}
    names = [name for name in catalog.PROVIDERS if name not in {*listed, catalog.SANDBOX}]
    reasons = [(name, catalog.why_not(settings, f"{name}:")) for name in names]
    lines = [f"{name:<19}{f'off: {reason}' if reason else 'on, and not used'}" for name, reason in reasons]
    return ["\nProviders of which no model is listed:", *lines] if lines else []


def main() -> int:
    """The commands of `python -m leaf`; returns the exit status."""
    parser = argparse.ArgumentParser(prog="leaf", description="Leaf's own commands.")
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("models", help="print which models are enabled, and why others are not")
    parser.parse_args()
    try:
        sys.stdout.write(f"{models()}\n")
    except errors.ConfigurationError as error:
        sys.stderr.write("".join(f"{problem}\n" for problem in error.problems))
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
