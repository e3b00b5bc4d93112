"""How much work the build files of one project may cost: they may be hostile."""

import time

SECONDS = 1.5
"""Of the processor's time. Builds that people write take some hundredths."""


class Exhausted(Exception):
    """The budget is spent; what was read until then counts."""


class Budget:
    """Counted down by a reader as it goes."""

    def __init__(self, steps: int, characters: int, seconds: float = SECONDS) -> None:
        self._steps, self._characters = steps, characters
        self._until_s = time.thread_time() + seconds
        self._asked = 0

    def spend(self, characters: int = 0, steps: int = 1) -> None:
        """Note that some steps are taken and some characters are made.

        Raises:
            Exhausted: no more may be.
        """
        self._steps -= steps
        self._characters -= characters
        self._asked += 1
        # The clock is asked now and then: it costs a system call.
        if (
            self._steps < 0
            or self._characters < 0
            or (self._asked % 64 == 0 and time.thread_time() > self._until_s)
        ):
            raise Exhausted
