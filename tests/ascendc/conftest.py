"""One warm verifier for all kernels; it judges ahead of the tests, as many at once as there are cores."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import pytest
import pytest_asyncio

from kernelwright_verifier.config import Configuration, LimitSettings
from kernelwright_verifier.pipeline import VerifyOptions
from kernelwright_verifier.verdict import Verdict
from kernelwright_verifier.verifier import Verifier, read_candidate


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def verifier() -> AsyncIterator[Verifier]:
    async with Verifier(Configuration(limits=LimitSettings(time_s=60.0, memory_mb=1024))) as verifier:
        yield verifier


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def judged(
    request: pytest.FixtureRequest, verifier: Verifier
) -> AsyncIterator[Callable[[Path], Awaitable[Verdict]]]:
    """The verdict of a kernel; those of the selected tests are under way already."""

    async def judge(path: Path) -> Verdict:
        (plan,) = verifier.plan(read_candidate(path))
        return await verifier.verdict(plan, VerifyOptions(latency=False))

    selected = [item for item in request.session.items if "judged" in getattr(item, "fixturenames", ())]
    paths = [item.callspec.params["path"] for item in selected]  # type: ignore[attr-defined]
    tasks = {path: asyncio.create_task(judge(path)) for path in paths}
    yield tasks.__getitem__
    for task in tasks.values():
        task.cancel()
    await asyncio.gather(*tasks.values(), return_exceptions=True)
