"""What goes wrong with a file is told to the model, which can do better; it never ends an answer."""

from collections.abc import Generator
from contextlib import contextmanager

from pydantic_ai.exceptions import ToolFailed

from leaf import errors


@contextmanager
def told(path: str = "") -> Generator[None]:
    """Turns refusals into what the model is told.

    Args:
        path: The file that is asked about.
    """
    try:
        yield
    except errors.Invalid as error:
        raise ToolFailed(error.message) from error
    except errors.NotFound as error:
        raise ToolFailed(f"There is no file {path!r} in this chat. list_files shows those that there are.") from error
