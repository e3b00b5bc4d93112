"""A pytest plugin that notes when each test ran, a line of JSON each in the file that `KERNELWRIGHT_SPANS` names.

Seconds of the monotonic clock, which all processes of a machine share: another one can tell what it did meanwhile.
"""

import json
import os
import time
from collections.abc import Generator
from pathlib import Path

import pytest

_FILE = Path(os.environ["KERNELWRIGHT_SPANS"])


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None]:
    begun_s = time.monotonic()
    try:
        return (yield)
    finally:
        span = {"name": item.name, "begun_s": begun_s, "ended_s": time.monotonic()}
        with _FILE.open("a", encoding="utf-8") as file:
            file.write(json.dumps(span) + "\n")
