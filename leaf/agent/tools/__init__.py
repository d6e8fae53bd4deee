"""The tools of the agent."""

from collections.abc import Callable
from typing import Any

from pydantic_ai import FunctionToolset

from leaf.agent.deps import Deps


def documented(name: str, *functions: Callable[..., Any]) -> FunctionToolset[Deps]:
    """Returns a toolset of functions. Their docstrings describe the tools and their parameters to the model.

    Args:
        name: The id of the toolset.
        functions: The functions, with docstrings in Google's style.
    """
    return FunctionToolset[Deps](
        functions, id=name, max_retries=3, docstring_format="google", require_parameter_descriptions=True
    )
