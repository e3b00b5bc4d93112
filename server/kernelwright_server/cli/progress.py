"""How far `check` is, on standard error: a line that is renewed on a terminal, else a line now and then."""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

from kernelwright_backends.display.visible import visible_line
from kernelwright_server.cli.terminal import Terminal

_FIRST_S, _RENEWED_S, _REPEATED_S = 1.5, 0.5, 10.0


class Progress:
    """Counts what is judged and says so; nothing where all is over within a moment."""

    def __init__(self, *, quiet: bool = False) -> None:
        self._terminal = Terminal(stderr=True)
        self._quiet = quiet
        self._drawn = False
        self._total = self._judged = 0
        self._now: dict[str, str] = {}
        self._started = time.monotonic()

    @asynccontextmanager
    async def shown(self, total: int) -> AsyncIterator[None]:
        """While this is open, `total` entries are being judged."""
        self._total, self._judged, self._started = total, 0, time.monotonic()
        task = asyncio.ensure_future(self._tell()) if not self._quiet else None
        try:
            yield
        finally:
            if task is not None:
                task.cancel()
                with suppress(asyncio.CancelledError):
                    await task
            self.clear()

    def at(self, entry: str, gate: str) -> None:
        """An entry has come to a gate."""
        self._now[entry] = gate

    def ended(self, entry: str) -> None:
        self._judged += 1
        self._now.pop(entry, None)

    def clear(self) -> None:
        """Take the renewed line away, before something else is printed."""
        if self._drawn:
            self._terminal.file.write("\r\x1b[2K")
            self._terminal.file.flush()
            self._drawn = False

    async def _tell(self) -> None:
        await asyncio.sleep(_FIRST_S)
        while True:
            line = visible_line(self._line())
            if self._terminal.is_terminal:
                width = max(self._terminal.width - 1, 20)
                self._terminal.file.write(f"\r\x1b[2K{line[:width]}")
                self._drawn = True
            else:
                self._terminal.file.write(f"kernelwright: {line}\n")
            self._terminal.file.flush()
            await asyncio.sleep(_RENEWED_S if self._terminal.is_terminal else _REPEATED_S)

    def _line(self) -> str:
        line = f"{self._judged} of {self._total} judged after {time.monotonic() - self._started:.0f} s"
        doing = next(iter(self._now.items()), None)
        return line if doing is None else f"{line}; {doing[0]}: {doing[1]}"
