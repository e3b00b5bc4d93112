"""The warm verifier of all kernels."""

from collections.abc import AsyncIterator

import pytest_asyncio

from kernelwright_verifier.project.config import Configuration, HackSettings, LimitSettings
from kernelwright_verifier.verifier import Verifier


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def verifier() -> AsyncIterator[Verifier]:
    async with Verifier(
        Configuration(hack=HackSettings(level="strict"), limits=LimitSettings(time_s=60.0, memory_mb=1024))
    ) as verifier:
        yield verifier
