"""Verdicts of many entries at once, each as soon as it is there."""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing

from kernelwright_verifier.results.verdict import GATES, GateName, Verdict


async def as_they_come(judgings: Sequence[AsyncGenerator[Verdict, None]]) -> AsyncGenerator[Verdict, None]:
    """The verdicts of all, in the order in which they are obtained; those of one entry stay in theirs. Closing it ends all.

    Raises:
        Whatever one of them raises, after the verdicts that were there before.
    """
    ready: asyncio.Queue[Verdict | BaseException | None] = asyncio.Queue()

    async def follow(verdicts: AsyncGenerator[Verdict, None]) -> None:
        try:
            async with aclosing(verdicts):
                async for verdict in verdicts:
                    ready.put_nowait(verdict)
        except Exception as error:
            ready.put_nowait(error)
        else:
            ready.put_nowait(None)

    tasks = [asyncio.ensure_future(follow(verdicts)) for verdicts in judgings]
    waiting = len(tasks)
    try:
        while waiting:
            item = await ready.get()
            if isinstance(item, BaseException):
                raise item
            if item is None:
                waiting -= 1
            else:
                yield item
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def following(gate: GateName) -> str:
    """The gate that an entry comes to after one that has spoken."""
    return GATES[min(GATES.index(gate) + 1, len(GATES) - 1)]
