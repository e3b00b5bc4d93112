"""The time limit of parsing: some texts are made so that a parser does not finish."""

import time

PATIENCE_S = 4.0


class Impatient(Exception):
    """The text took the processor longer than any kernel's; the message says so."""


class Patience:
    """Handed to the parser as its progress callback: stops it where it takes the processor too long."""

    def __init__(self) -> None:
        self._until_s = time.thread_time() + PATIENCE_S
        # The processor's time costs a system call to ask for: not before so much of the clock's has gone by.
        self._ask_s = time.monotonic() + PATIENCE_S
        self.over = False

    def __call__(self, *_: object) -> bool:
        if not self.over and time.monotonic() >= self._ask_s:
            left_s = self._until_s - time.thread_time()
            self._ask_s = time.monotonic() + left_s
            self.over = left_s <= 0
        return self.over

    @property
    def complaint(self) -> Impatient:
        return Impatient(f"the parser did not finish within {PATIENCE_S:g} s")
