"""One verifier for what is run without a task."""

from collections.abc import AsyncIterator

import pytest_asyncio

from kernelwright_verifier.verifier import Verifier


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def verifier() -> AsyncIterator[Verifier]:
    async with Verifier() as made:
        yield made
