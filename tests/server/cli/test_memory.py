"""`kernelwright memory`: what was credited, joined, taken out, and what another policy would have earned."""

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from kernelwright_memory import Experience, Memory
from kernelwright_memory.bank.experience import Origin
from kernelwright_memory.bank.reward import Reward, Step

Run = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def said(tmp_path: Path) -> Experience:
    """One experience of a memory at `memory`, that helped once in two steps."""
    experience = Experience.of(
        kind="summary", dialect="cuda", title="guard the tail", text="if (i < n)\n", card="identifiers: tail",
        origin=Origin(source="run", date="2026-11-21T00:00:00+00:00"),
    )  # fmt: skip
    rewards = tuple(
        Reward(
            id=f"r{n}", run="cafe" * 8, step=n, stage="draft", task="t", dialect="cuda", experience=experience.id, role="context",
            policy="default", propensity=0.25, feasible=good, reward=1.0 if good else -1.0, date=f"2026-11-21T00:00:0{n}+00:00",
        )
        for n, good in enumerate((True, False))
    )  # fmt: skip
    Memory(tmp_path / "memory", seeds=None).remember(Step(experiences=(experience,), rewards=rewards))
    return experience


def test_what_is_said_and_done(kernelwright: Run, said: Experience, tmp_path: Path) -> None:
    def memory(*words: object) -> "subprocess.CompletedProcess[str]":
        return kernelwright("memory", *words, "--uri", tmp_path / "memory", cwd=tmp_path)

    why = memory("why", said.id[:8])
    assert why.returncode == 0
    for shown in ("guard the tail", "correct", "failed", "cafecafe", "draft: helped 1 of 2 times"):
        assert shown in why.stdout
    assert "the log holds no choices yet" in memory("replay", "evokernel").stdout
    assert "0 experiences would be taken out" in memory("prune", "--dry-run").stdout
    joined = kernelwright(
        "memory", "merge", tmp_path / "memory", "--own", "--uri", tmp_path / "other", cwd=tmp_path
    )
    assert "(1 of them new), 2 rewards" in joined.stdout
    gone = memory("forget", said.id[:8])
    assert gone.stdout == f"forgot {said.id[:10]} guard the tail\n"
    for words, problem in (
        (("forget", said.id[:8]), "no experience"),
        (("why", "zz"), "no experience 'zz'"),
        (("merge", tmp_path / "nowhere"), "no such folder"),
        (("prune", "--unused-days", "-1"), "must not be negative"),
    ):
        refused = memory(*words)
        assert (refused.returncode, "Traceback" in refused.stderr) == (2, False)
        assert problem in refused.stderr
    assert not (tmp_path / "nowhere").exists()
