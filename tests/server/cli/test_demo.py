"""The demo: a selection of the examples, each with a line of its own where the output is no terminal too."""

import subprocess
from collections.abc import Callable
from pathlib import Path

from kernelwright_server.cli.demo import chosen

Run = Callable[..., "subprocess.CompletedProcess[str]"]

EXAMPLES = Path(__file__).resolve().parents[3] / "examples"


def test_the_short_tour_is_a_selection_of_everything() -> None:
    short, full = (chosen(EXAMPLES, full=full, only=None) for full in (False, True))
    assert set(short) < set(full) and len(short) <= 20
    assert any(e.stub for e in short)
    assert any("naive" in e.file for e in short)
    assert {e.file.startswith("ascendc/") for e in short} == {True, False}
    assert {e.gate for e in short} >= {"hack", "correctness"}


def test_each_example_has_a_line(kernelwright: Run, tmp_path: Path) -> None:
    done = kernelwright("demo", "--examples", EXAMPLES, "--only", "relu_stub", cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "1/1 ✓ relu/relu_stub.cu" in done.stdout
    assert "correct on the first attempt" in done.stdout and "demo succeeded" in done.stdout
