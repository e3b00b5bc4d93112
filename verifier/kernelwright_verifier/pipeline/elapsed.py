"""What one verification spends its time on."""

import time
from collections.abc import Awaitable
from typing import TypeVar

T = TypeVar("T")


class Steps:
    """Seconds of each named step; a step that comes again adds to what it took before."""

    def __init__(self) -> None:
        self.elapsed_s: dict[str, float] = {}

    def add(self, step: str, elapsed_s: float) -> None:
        self.elapsed_s[step] = self.elapsed_s.get(step, 0.0) + elapsed_s

    async def timed(self, step: str, awaitable: Awaitable[T]) -> T:
        started = time.monotonic()
        try:
            return await awaitable
        finally:
            self.add(step, time.monotonic() - started)
