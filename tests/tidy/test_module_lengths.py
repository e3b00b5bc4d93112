"""Long modules are few, and each has one reason to exist that fills them."""

from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
LONG_LINES = 500
MOST_LONG = 6
# module -> why what it holds is one thing
REASONS = {
    "backends/kernelwright_backends/ascendc/editor/completion.py": "one syntax tree asked what stands at a place",
    "backends/kernelwright_backends/cuda/cost/launch.py": "the terms of one launch's time, fitted together",
    "backends/kernelwright_backends/cuda/cpu/trace/tracing.py": "the counters of the traced object, read",
    "memory/kernelwright_memory/agent/run.py": "the steps of one run over the state that they share",
    "memory/kernelwright_memory/generators/templates/ascendc/tiles.py": "one kernel text, emitted in order",
    "memory/kernelwright_memory/generators/templates/cuda/product/kernel.py": "one kernel text, emitted in order",
    "verifier/kernelwright_verifier/build_systems/cmake.py": "an interpreter of one language",
    "verifier/kernelwright_verifier/build_systems/makefile.py": "an interpreter of one language",
    "verifier/kernelwright_verifier/reference/client.py": "one process, its answers and what is kept of them",
    "verifier/kernelwright_verifier/reference/reference_worker/families.py": "the families of inputs, a function each",
}


def lengths(package: str) -> dict[str, int]:
    return {
        path.relative_to(ROOT).as_posix(): len(path.read_text(encoding="utf-8").splitlines())
        for path in sorted((ROOT / package / f"kernelwright_{package}").rglob("*.py"))
    }


@pytest.mark.parametrize("package", ["backends", "verifier", "memory", "server"])
def test_few_modules_are_long_and_each_says_why(package: str) -> None:
    long = {path for path, lines in lengths(package).items() if lines > LONG_LINES}
    assert len(long) <= MOST_LONG
    assert long - REASONS.keys() == set(), "split it, or say here why it is one thing"


def test_reasons_are_of_modules_that_exist() -> None:
    assert [path for path in REASONS if not (ROOT / path).is_file()] == []
