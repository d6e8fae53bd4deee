"""`python -m tests.serve PORT [--routes-only]`: what `reflex run --env prod` does once the pages are compiled.

Starting again must not take half a minute in a test that kills the web process. `--routes-only` leaves the pages out.
"""

import gc
import sys
from pathlib import Path

from reflex.utils import exec as runner
from reflex_base import constants
from reflex_base.config import environment, get_config

# Importing the pages makes a million objects, and none of them is garbage: a quarter of the time of a start.
gc.set_threshold(100_000, 20, 20)


def main(port: int, *, pages: bool) -> None:
    """Serves routes, and pages where they are wanted, on a port until it is ended."""
    sys.path.insert(0, str(Path.cwd()))
    environment.REFLEX_ENV_MODE.set(constants.Env.PROD)
    environment.REFLEX_COMPILE_CONTEXT.set(constants.CompileContext.RUN)
    environment.REFLEX_SKIP_COMPILE.set(True)
    get_config()._set_persistent(frontend_port=port, backend_port=port)
    host = "0.0.0.0" if pages else "127.0.0.1"  # noqa: S104 - pages as `reflex run` serves them
    runner.run_backend_prod(host, port, constants.LogLevel.ERROR, mount_frontend_compiled_app=pages)


if __name__ == "__main__":
    main(int(sys.argv[1]), pages="--routes-only" not in sys.argv)
