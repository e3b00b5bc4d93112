"""Files of ours in the user's folders, as somebody else would have to leave them there: each reader takes them for none.

A file with a second name is one that its other holder goes on writing after we have looked at it.
"""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from kernelwright_backends.storage.folders import own_file, read_own
from kernelwright_verifier.reference.answer_cache import ReferenceCache
from kernelwright_verifier.results.cache import VerdictCache
from kernelwright_verifier.results.fingerprint import VerdictInputs
from kernelwright_verifier.results.verdict import GATES, GateResult, Verdict


def link(place: Path, outside: Path) -> None:
    outside.write_bytes(place.read_bytes())
    place.unlink()
    place.symlink_to(outside)


def second_name(place: Path, outside: Path) -> None:
    os.link(place, outside)


def anybodys(place: Path, _: Path) -> None:
    place.chmod(0o602)


def somebody_elses(place: Path, _: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root can give a file away")
    os.chown(place, 12345, 12345)


def pipe(place: Path, _: Path) -> None:
    place.unlink()
    os.mkfifo(place, 0o600)


Plant = Callable[[Path, Path], None]
planted = pytest.mark.parametrize("plant", [link, second_name, anybodys, somebody_elses, pipe])


@planted
def test_what_is_not_ours_is_not_opened(plant: Plant, tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_bytes(b"content")
    file.chmod(0o600)
    assert read_own(file, 100) == b"content"
    plant(file, tmp_path / "outside")
    with pytest.raises(OSError, match="file"), own_file(file):
        pass
    with pytest.raises(OSError, match="file"):
        read_own(file, 100)


@planted
def test_a_verdict_that_is_not_ours(plant: Plant, tmp_path: Path) -> None:
    subject = VerdictInputs.model_validate(
        {
            "file": "/x/double.cu", "entry": "doubled", "target": "cuda:h200@cpu", "chip": "h200", "candidate": "a",
            "toolchain": {}, "verifier": {"version": "0", "sources": "0"}, "settings": {}, "options": {},
            "seed": "fresh", "confined": True,
        }
    )  # fmt: skip
    cache = VerdictCache(tmp_path / "verdicts")
    gates = tuple(GateResult(gate=gate, status="passed") for gate in GATES)
    verdict = Verdict(
        file="/x/double.cu", dialect="cuda", entry="doubled", target="cuda:h200@cpu", gates=gates,
        feasible=True, hack_level="strict", verified="2026-11-27T00:00:00+00:00",
    )  # fmt: skip
    assert cache.store(subject, verdict) and cache.load(subject) is not None
    (entry,) = (tmp_path / "verdicts").glob("*.json")
    plant(entry, tmp_path / "outside")
    assert cache.load(subject) is None


@planted
@pytest.mark.parametrize("part", ["json", "bin"])
def test_an_answer_of_the_reference_that_is_not_ours(plant: Plant, part: str, tmp_path: Path) -> None:
    cache = ReferenceCache(tmp_path / "references")
    try:
        scratch = cache.scratch()
        (scratch / "trial.bin").write_bytes(b"tensors")
        cache.store("key", b"{}", cache.take(scratch, 1 << 20))
        assert cache.load("key") is not None
        plant(cache.folder / f"key.{part}", tmp_path / "outside")
        assert cache.load("key") is None
    finally:
        cache.close()


SEALS = (
    "import sys\n"
    "from kernelwright_backends.storage.sealing import sealed\n"
    "sys.stdout.buffer.write(sealed('verdict', b'{\"a\": 1}'))"
)


def seal(home: Path) -> bytes:
    environment = {**os.environ, "XDG_DATA_HOME": str(home), "XDG_CACHE_HOME": str(home / "cache")}
    return subprocess.run(
        [sys.executable, "-c", SEALS], env=environment, capture_output=True, check=True
    ).stdout


@planted
def test_a_key_that_is_not_ours(plant: Plant, tmp_path: Path) -> None:
    first = seal(tmp_path)
    assert seal(tmp_path) == first
    (key,) = tmp_path.rglob("seal.key")
    plant(key, tmp_path / "outside")
    assert seal(tmp_path) != first
    status = key.lstat()
    assert (status.st_mode & 0o777, status.st_nlink, key.is_symlink()) == (0o600, 1, False)


def test_processes_that_begin_at_once_have_one_key(tmp_path: Path) -> None:
    environment = {**os.environ, "XDG_DATA_HOME": str(tmp_path), "XDG_CACHE_HOME": str(tmp_path / "cache")}
    begun = [
        subprocess.Popen([sys.executable, "-c", SEALS], env=environment, stdout=subprocess.PIPE)
        for _ in range(6)
    ]
    assert len({process.communicate()[0] for process in begun}) == 1
