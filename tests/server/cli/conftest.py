"""The command line as users run it: a process of its own."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
Run = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def kernelwright() -> Run:
    def run(*words: object, cwd: Path = ROOT, **more: object) -> "subprocess.CompletedProcess[str]":
        command = [sys.executable, "-m", "kernelwright_server", *map(str, words)]
        return subprocess.run(command, cwd=cwd, capture_output=True, text=True, timeout=300, **more)  # type: ignore[call-overload,no-any-return]

    return run
