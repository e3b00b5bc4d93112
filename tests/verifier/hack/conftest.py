"""One warm verifier for the corpus; it judges ahead of the tests, as many at once as there are cores."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import pytest
import pytest_asyncio

from kernelwright_verifier.pipeline.options import VerifyOptions
from kernelwright_verifier.project.config import Configuration, HackSettings, LimitSettings
from kernelwright_verifier.results.verdict import Verdict
from kernelwright_verifier.verifier import Verifier, read_candidate

Judge = Callable[..., Awaitable[Verdict]]
STRICT = HackSettings(level="strict")
LIMITS = LimitSettings(time_s=20.0, memory_mb=1024)


@pytest.fixture(scope="session")
def corpus() -> Path:
    return Path(__file__).resolve().parents[2] / "corpora"


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def verifier() -> AsyncIterator[Verifier]:
    async with Verifier(Configuration(limits=LIMITS, hack=STRICT)) as verifier:
        yield verifier


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def judge(verifier: Verifier) -> Judge:
    """Judges a file under a level of the hack gate; the latency only where it is asked for."""

    async def judged(path: Path, hack: HackSettings | None = None, latency: bool = False) -> Verdict:
        (plan,) = verifier.plan(read_candidate(path))
        if hack is not None:
            changed = plan.configuration.model_copy(update={"hack": hack})
            plan = plan.model_copy(update={"configuration": changed})
        return await verifier.verdict(plan, VerifyOptions(latency=latency))

    return judged


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def judged(request: pytest.FixtureRequest, judge: Judge) -> AsyncIterator[Judge]:
    """The verdict of a candidate of the corpus; those of the selected tests of the same module are under way already."""
    here = (item for item in request.session.items if item.path == request.path)
    selected = [item for item in here if "judged" in getattr(item, "fixturenames", ())]
    paths = [item.callspec.params["path"] for item in selected]  # type: ignore[attr-defined]
    tasks = {path: asyncio.ensure_future(judge(path)) for path in paths}
    yield tasks.__getitem__
    for task in tasks.values():
        task.cancel()
    await asyncio.gather(*tasks.values(), return_exceptions=True)
