"""What was learned, what it is worth, and the agent that uses it.

`Memory` is the store with its values; `kernelwright_memory.agent` holds `draft` and `refine`;
`kernelwright_memory.generators.choosing` finds what writes candidates. Nothing heavy is imported before it is
used.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from kernelwright_memory.experience import Experience
    from kernelwright_memory.memory import Counts, ExperienceView, Memory
    from kernelwright_memory.store import StoreError
    from kernelwright_memory.values import Value

__all__ = ["Counts", "Experience", "ExperienceView", "Memory", "StoreError", "Value"]

_HOMES = {
    "Counts": "memory",
    "Experience": "experience",
    "Memory": "memory",
    "ExperienceView": "memory",
    "StoreError": "store",
    "Value": "values",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
