"""`python -m tests.acceptance.guardian FOLDER`: ends the services of a folder when the tests are through or killed.

PostgreSQL and Redis outlive whoever starts them, so this process does: it waits for the end of its input, which comes
with the end of the process that started it, whatever that dies of.
"""

import shutil
import sys
from pathlib import Path

from leaf.config.embedded import postgres, redis_server


def main() -> None:
    folder = Path(sys.argv[1])
    sys.stdin.read()
    redis_server.stop(folder)
    postgres.stop(folder)
    shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
