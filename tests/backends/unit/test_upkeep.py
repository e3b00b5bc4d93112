"""The folders of the cache stay within their bounds; what is in use stays."""

import os
import time
from pathlib import Path

import pytest

from kernelwright_backends.storage.eviction import LIMITS_BYTES, remove_unused

_DAY_S = 24 * 3600.0


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    return tmp_path / "kernelwright"


def kept(folder: Path, name: str, size_bytes: int, unused_s: float) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / name).open("wb") as file:
        file.truncate(size_bytes)  # without taking room
    used = time.time() - unused_s
    os.utime(folder / name, (used, used))


@pytest.mark.parametrize("place", sorted(LIMITS_BYTES))
def test_the_longest_unused_goes_first(cache: Path, place: str) -> None:
    for number in range(4):
        kept(cache / place, f"entry{number}", LIMITS_BYTES[place] * 2 // 5, (4 - number) * _DAY_S)
    remove_unused()
    assert sorted(file.name for file in (cache / place).iterdir()) == ["entry2", "entry3"]


def test_what_was_just_used_stays_however_large(cache: Path) -> None:
    kept(cache / "cuda-nvcc", "now", 2 * LIMITS_BYTES["cuda-nvcc"], 0.0)
    remove_unused()
    assert (cache / "cuda-nvcc" / "now").exists()


def test_builds_go_after_two_weeks_and_accepted_latencies_do_not(cache: Path) -> None:
    kept(cache / "cuda-gpu" / "objects", "old", 10, 15 * _DAY_S)
    kept(cache / "accepted", "old", 10, 15 * _DAY_S)
    remove_unused()
    assert not (cache / "cuda-gpu" / "objects" / "old").exists()
    assert (cache / "accepted" / "old").exists()


def test_few_large_files_are_looked_at_more_often_than_many_small_ones(cache: Path) -> None:
    remove_unused()
    for place in ("cuda-cpu/headers", "cuda-cpu/objects"):
        for number in range(2):
            kept(cache / place, f"entry{number}", LIMITS_BYTES[place] * 3 // 5, (2 - number) * _DAY_S)
    a_minute_ago = time.time() - 60.0
    for mark in cache.glob("looked-*"):
        os.utime(mark, (a_minute_ago, a_minute_ago))
    remove_unused()
    assert [file.name for file in (cache / "cuda-cpu" / "headers").iterdir()] == ["entry1"]
    assert len(list((cache / "cuda-cpu" / "objects").iterdir())) == 2
