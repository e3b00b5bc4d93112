"""The verdict cache as a store: what is kept, what is believed, what bounds it."""

import json
import os
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import pytest

from kernelwright_verifier.results.cache import VerdictCache
from kernelwright_verifier.results.fingerprint import content_hash
from kernelwright_verifier.results.record import Record, RecordError


def test_a_verdict_comes_back_as_it_was(words: Any, tmp_path: Path) -> None:
    subject, verdict = words.subject(), words.verdict("MISMATCH_VALUE")
    assert VerdictCache(tmp_path).store(subject, verdict)
    record = VerdictCache(tmp_path).load(subject)
    assert record is not None and record.subject == subject
    assert record.verdict.model_copy(update={"verified": None}) == verdict
    assert VerdictCache(tmp_path).load(words.subject("b")) is None
    assert [entry.key for entry in VerdictCache(tmp_path).entries()] == [subject.key]


@pytest.mark.parametrize(
    "changed",
    [
        {"candidate": "b"}, {"file": "/elsewhere/double.cu"}, {"entry": "other"}, {"target": "cuda:sm_80@cpu"},
        {"headers": {"/somewhere/h.cuh": "1"}}, {"task": "1"}, {"modules": {"m": "1"}}, {"expected": "1"},
        {"toolchain": {"compiler": "g++ 13"}}, {"interpreter": {"torch": "2.13"}}, {"settings": {"hack": {}}},
        {"verifier": {"version": "0.1.0", "sources": "1"}}, {"options": {"latency": False}},
        {"declared": {"sizes": {"N": 1}}}, {"seed": 7}, {"confined": False},
    ],
    ids=lambda changed: next(iter(changed)),
)  # fmt: skip
def test_everything_that_matters_is_a_part_of_the_key(
    words: Any, tmp_path: Path, changed: dict[str, Any]
) -> None:
    cache = VerdictCache(tmp_path)
    cache.store(words.subject(), words.verdict())
    assert cache.load(words.subject(**changed)) is None
    assert cache.load(words.subject()) is not None


@pytest.mark.parametrize(
    ("verdict", "kept"),
    [
        ({}, True),
        ({"code": "MISMATCH_VALUE"}, True),
        ({"code": "COMPILE_ERROR", "gate": "compile"}, True),
        ({"code": "ENV_DIRECTIVE_ALLOW", "gate": "compile"}, True),
        ({"code": "LAUNCH_TIME"}, False),
        ({"code": "LAUNCH_MEMORY"}, False),
        ({"code": "COMPILE_TIME", "gate": "compile"}, False),
        ({"code": "COST_NOT_TRACED", "gate": "latency"}, False),
        ({"code": "ENV_SANDBOX", "gate": "compile", "error": True}, False),
        ({"code": "ENV_DISK", "gate": "correctness", "error": True}, False),
    ],
)
def test_what_the_environment_decided_is_not_kept(
    words: Any, tmp_path: Path, verdict: dict[str, Any], kept: bool
) -> None:
    code = verdict.pop("code", None)
    assert VerdictCache(tmp_path).store(words.subject(), words.verdict(code, **verdict)) is kept
    assert len(VerdictCache(tmp_path).entries()) == kept


def test_a_lucky_seed_does_not_take_the_place_of_a_refusal(words: Any, tmp_path: Path) -> None:
    cache = VerdictCache(tmp_path)
    cache.store(words.subject(), words.verdict("MISMATCH_VALUE"))
    assert not cache.store(words.subject(), words.verdict())
    record = cache.load(words.subject())
    assert record is not None and record.verdict.feasible is False
    cache.store(words.subject("b"), words.verdict())
    assert cache.store(words.subject("b"), words.verdict("MISMATCH_VALUE")), "the reverse is news"


def _resigned(plain: dict[str, Any]) -> dict[str, Any]:
    """With the digest of a forger who knows how it is made."""
    rest = {name: value for name, value in plain.items() if name != "digest"}
    return {**rest, "digest": content_hash(rest)}


def _turned(plain: dict[str, Any]) -> dict[str, Any]:
    plain["verdict"]["feasible"] = True
    return plain


def _of_another(plain: dict[str, Any]) -> dict[str, Any]:
    plain["subject"]["candidate"] = "b"
    return _resigned(plain)


def _rekeyed(plain: dict[str, Any]) -> dict[str, Any]:
    plain["subject"]["candidate"] = "b"
    plain["key"] = content_hash(plain["subject"])
    return _resigned(plain)


def _newer(plain: dict[str, Any]) -> dict[str, Any]:
    return _resigned({**plain, "schema": 2})


def _unknown_field(plain: dict[str, Any]) -> dict[str, Any]:
    return _resigned({**plain, "also": 1})


@pytest.mark.parametrize(
    "poison",
    [
        _turned,
        lambda plain: _resigned(_turned(plain)),
        _of_another,
        _rekeyed,
        _newer,
        _unknown_field,
        lambda plain: [],
        lambda plain: None,
    ],
    ids=["turned", "turned-resigned", "other-subject", "rekeyed", "newer", "unknown-field", "list", "null"],
)
def test_a_poisoned_entry_is_discarded(words: Any, tmp_path: Path, poison: Any) -> None:
    cache = VerdictCache(tmp_path)
    cache.store(words.subject(), words.verdict("MISMATCH_VALUE"))
    (entry,) = cache.entries()
    entry.path.write_text(json.dumps(poison(json.loads(entry.path.read_text()))))
    assert cache.load(words.subject()) is None
    assert not entry.path.exists()
    assert cache.store(words.subject(), words.verdict("MISMATCH_VALUE"))
    assert cache.load(words.subject()) is not None


@pytest.mark.parametrize("share", [0.0, 0.3, 0.99])
def test_a_half_written_entry_is_discarded(words: Any, tmp_path: Path, share: float) -> None:
    cache = VerdictCache(tmp_path)
    cache.store(words.subject(), words.verdict())
    (entry,) = cache.entries()
    whole = entry.path.read_bytes()
    entry.path.write_bytes(whole[: int(len(whole) * share)])
    assert cache.load(words.subject()) is None
    assert cache.entries() == []


def test_what_others_may_write_is_not_believed(words: Any, tmp_path: Path) -> None:
    cache = VerdictCache(tmp_path / "cache")
    cache.store(words.subject(), words.verdict())
    (entry,) = cache.entries()
    entry.path.chmod(0o666)
    assert cache.load(words.subject()) is None
    cache.store(words.subject(), words.verdict())
    moved = tmp_path / "elsewhere.json"
    entry.path.rename(moved)
    entry.path.symlink_to(moved)
    assert cache.load(words.subject()) is None, "a link leads to what was not written here"
    os.mkfifo(entry.path)
    assert cache.load(words.subject()) is None
    if os.geteuid() == 0:
        cache.store(words.subject(), words.verdict())
        os.chown(entry.path, 12345, 12345)
        assert cache.load(words.subject()) is None


def test_the_longest_unused_go_first(words: Any, tmp_path: Path) -> None:
    cache = VerdictCache(tmp_path, limit_mb=1)
    verdict = words.verdict().model_copy(update={"log": "x" * 100_000})
    for number in range(20):
        cache.store(words.subject(str(number)), verdict)
        (tmp_path / f"{words.subject(str(number)).key}.json").touch()
        if number == 1:
            (tmp_path / ".abandoned-1-00.half").write_bytes(b"x")
            os.utime(tmp_path / ".abandoned-1-00.half", (1, 1))
    cache.shrink()
    assert sum(entry.size_bytes for entry in cache.entries()) <= 1 << 20
    assert cache.load(words.subject("0")) is None and cache.load(words.subject("19")) is not None
    assert list(tmp_path.glob(".*.half")) == []
    assert not VerdictCache(tmp_path, limit_mb=0).store(words.subject("0"), words.verdict())


def test_clearing_takes_the_named_ones(words: Any, tmp_path: Path) -> None:
    cache = VerdictCache(tmp_path)
    for name in "abc":
        cache.store(words.subject(name), words.verdict())
    assert cache.clear(words.subject("a").key[:16]) == 1
    assert cache.clear() == 2
    assert cache.entries() == []


_WRITER = """
    import sys
    from pathlib import Path
    sys.path[:0] = {path!r}
    import importlib.util
    spec = importlib.util.spec_from_file_location("words", {conftest!r})
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    from kernelwright_verifier.results.cache import VerdictCache
    words, cache = module.Words(), VerdictCache(Path(sys.argv[1]), limit_mb=1)
    print("ready", flush=True)
    for number in range({count}):
        subject = words.subject(str(number % 50))
        cache.store(subject, words.verdict("MISMATCH_VALUE"))
        record = cache.load(subject)
        assert record is None or record.subject == subject
"""


def _writer(folder: Path, count: int) -> subprocess.Popen[str]:
    code = textwrap.dedent(_WRITER).format(
        path=sys.path, conftest=str(Path(__file__).with_name("conftest.py")), count=count
    )
    return subprocess.Popen([sys.executable, "-c", code, str(folder)], stdout=subprocess.PIPE, text=True)


def test_processes_share_a_folder_and_may_be_killed(words: Any, tmp_path: Path) -> None:
    """Two write the same entries, two more are killed while they do: all that lies there holds."""
    writers = [_writer(tmp_path, 200) for _ in range(2)]
    doomed = [_writer(tmp_path, 1_000_000) for _ in range(2)]
    for process in (*writers, *doomed):
        assert process.stdout is not None and process.stdout.readline() == "ready\n"
    for process in writers:
        assert process.wait(120) == 0
    for process in doomed:
        process.kill()
        process.wait()
    for process in (*writers, *doomed):
        assert process.stdout is not None
        process.stdout.close()
    cache = VerdictCache(tmp_path)
    found = list(cache.records())
    assert len(found) == 50
    assert all(record is not None for _, record in found)


def test_a_folder_that_cannot_be_written_is_no_error(words: Any, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    cache = VerdictCache(tmp_path / "file" / "cache")
    assert not cache.store(words.subject(), words.verdict())
    assert cache.load(words.subject()) is None


def test_a_record_names_what_it_was_obtained_on(words: Any) -> None:
    record = Record.of(words.subject(interpreter={"torch": "2.13"}), words.verdict())
    assert record.versions["toolchain compiler"] == "g++ 12"
    assert record.versions["reference torch"] == "2.13"
    assert Record.read(record.written()) == record
    with pytest.raises(RecordError, match="its key"):
        Record.read(record.written(), words.subject("b").key)
