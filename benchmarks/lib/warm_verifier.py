"""A verifier that a process keeps warm from one candidate to the next, with the loop that it runs in."""

import asyncio
from collections.abc import Coroutine
from multiprocessing.util import Finalize
from typing import Any, TypeVar

from kernelwright_verifier.project.config import Configuration
from kernelwright_verifier.verifier import Verifier

T = TypeVar("T")


class WarmVerifier:
    """For plain code, also in a process of a pool, where it is closed as the process ends."""

    def __init__(self, configuration: Configuration) -> None:
        self._runner = asyncio.Runner()
        self.verifier = Verifier(configuration)
        self.close = Finalize(self, self._close, exitpriority=1)

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        return self._runner.run(work)

    def _close(self) -> None:
        self._runner.run(self.verifier.close())
        self._runner.close()
