"""The server's background tasks: faults are logged, keys replace, and nothing outlives the end."""

import asyncio
import logging

import pytest

from kernelwright_server.session.tasks import Tasks


async def _forever() -> None:
    await asyncio.Event().wait()


def test_a_task_that_fails_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    async def fails() -> None:
        raise ValueError("broken")

    async def main() -> None:
        tasks = Tasks()
        task = tasks.spawn(fails(), "the example")
        assert task is not None
        await asyncio.wait([task])
        await asyncio.sleep(0)

    with caplog.at_level(logging.ERROR):
        asyncio.run(main())
    assert "the example failed" in caplog.text
    assert "broken" in caplog.text


def test_a_newer_task_under_the_same_key_takes_the_older_ones_place() -> None:
    async def main() -> None:
        tasks = Tasks()
        older = tasks.spawn(_forever(), "older", ("fixes", "file:///a.cu", "one"))
        other = tasks.spawn(_forever(), "other", ("fixes", "file:///b.cu", "one"))
        newer = tasks.spawn(_forever(), "newer", ("fixes", "file:///a.cu", "one"))
        assert older is not None and other is not None and newer is not None
        await asyncio.wait([older])
        assert older.cancelled()
        tasks.cancel("fixes", "file:///a.cu")
        await asyncio.wait([newer])
        assert newer.cancelled()
        assert not other.done()
        await tasks.stop()

    asyncio.run(main())


def test_stop_ends_all_but_one_and_nothing_starts_after_close() -> None:
    async def main() -> None:
        tasks = Tasks()
        kept = tasks.spawn(_forever(), "kept")
        stopped = tasks.spawn(_forever(), "stopped")
        assert kept is not None and stopped is not None
        await tasks.stop(besides=kept)
        assert stopped.cancelled()
        assert not kept.done()
        tasks.close()
        assert tasks.spawn(_forever(), "late") is None
        await tasks.stop()
        assert kept.cancelled()

    asyncio.run(main())
