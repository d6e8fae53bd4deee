"""`python -m tests.chaos.web PORT`: Leaf's web process without its pages, which the fault bench does not open."""

import sys
from pathlib import Path

from reflex.utils import exec as runner
from reflex_base import constants
from reflex_base.config import environment, get_config


def main(port: int) -> None:
    """Serves the routes on a port until it is ended."""
    sys.path.insert(0, str(Path.cwd()))
    environment.REFLEX_ENV_MODE.set(constants.Env.PROD)
    environment.REFLEX_COMPILE_CONTEXT.set(constants.CompileContext.RUN)
    environment.REFLEX_SKIP_COMPILE.set(True)
    get_config()._set_persistent(frontend_port=port, backend_port=port)
    runner.run_backend_prod("127.0.0.1", port, constants.LogLevel.ERROR)


if __name__ == "__main__":
    main(int(sys.argv[1]))
