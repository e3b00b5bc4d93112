"""What was learned, what it is worth, and the agent that uses it.

`Memory` is the store with its values; `kernelwright_memory.agent` holds `draft` and `refine`;
`kernelwright_memory.generators.choosing` finds what writes candidates. Nothing heavy is imported before it is
used.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from kernelwright_memory.bank.bank import Counts, ExperienceView, Memory
    from kernelwright_memory.bank.experience import Experience
    from kernelwright_memory.bank.store import StoreError
    from kernelwright_memory.bank.values import Value

__all__ = ["Counts", "Experience", "ExperienceView", "Memory", "StoreError", "Value"]

_HOMES = {
    "Counts": "bank.bank",
    "Experience": "bank.experience",
    "Memory": "bank.bank",
    "ExperienceView": "bank.bank",
    "StoreError": "bank.store",
    "Value": "bank.values",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
