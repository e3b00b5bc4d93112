"""The system of record, on real LanceDB in folders."""

import json
import os
import signal
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import pytest

from kernelwright_memory import Memory, StoreError
from kernelwright_memory.bank.reward import Step
from kernelwright_memory.bank.store import Store


def _child(code: str, *arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(code), *arguments], stdout=subprocess.PIPE, text=True
    )


_WRITER = """
    import sys
    from kernelwright_memory.bank.experience import Experience, Origin
    from kernelwright_memory.bank.store import Store
    place, prefix, count, shared = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
    store = Store(place)
    def made(title):
        origin = Origin(source="run", date="2026-11-21T00:00:00+00:00")
        return Experience.of(kind="summary", dialect="cuda", title=title, text=title, card=title,
        origin=origin)
    for number in range(count):
        store.add([(made(f"{prefix}{number}"), b"", ""), (made(f"shared{number % shared}"), b"", "")])
        print(number, flush=True)
"""


def test_what_is_stored_comes_back(words: Any, tmp_path: Path) -> None:
    store = Store(tmp_path)
    said = words.experience(
        "tail", latency_us=3.5, feasible=True, parameters={"block": 128, "unroll": [1, 2]}
    )
    event = words.reward(0, experience=said.id, similarity=0.5, feasible=False, reward=-1.0)
    assert store.add([(said, b"\0\0\x80?", "v")], [event], important=True) == 1
    rows, _ = Store(tmp_path).experiences()
    assert [(row.experience, row.embedding, row.embedding_version) for row in rows] == [
        (said, b"\0\0\x80?", "v")
    ]
    events, _ = Store(tmp_path).rewards()
    assert {k: v for k, v in events[0].items() if k != "written_us"} == event.model_dump(by_alias=True)


def test_the_same_thing_is_stored_once(words: Any, tmp_path: Path) -> None:
    store = Store(tmp_path)
    said, event = words.experience("tail"), words.reward(0)
    assert [store.add([(said, b"", "")] * 2, [event, event]) for _ in range(3)] == [1, 0, 0]
    assert store.counts() == (1, 1)


def test_an_id_is_that_of_the_content(words: Any) -> None:
    one, other = words.experience("tail"), words.experience("tail", latency_us=1.0)
    assert one.id == other.id == one.content_id
    assert words.experience("tail", dtype="float16").id != one.id


def test_another_process_is_seen_at_once(words: Any, memory: Memory) -> None:
    memory.remember(Step(experiences=(words.experience("first"),)))
    other = Memory(memory.store.uri, seeds=None)
    other.remember(Step(experiences=(words.experience("second"),), rewards=(words.reward(0),)))
    assert {shown.experience.title for shown in memory.experiences()} == {"first", "second"}
    assert [shown.experience.title for shown in other.experiences()] == ["first", "second"]


def test_two_processes_write_at_once(tmp_path: Path) -> None:
    Store(tmp_path).counts()
    children = [_child(_WRITER, str(tmp_path), prefix, "25", "10") for prefix in "ab"]
    assert [child.wait(60) for child in children] == [0, 0]
    for child in children:
        child.communicate()
    titles = [row.experience.title for row in Store(tmp_path).experiences()[0]]
    expected = [f"{p}{n}" for p in "ab" for n in range(25)] + [f"shared{n}" for n in range(10)]
    assert sorted(titles) == sorted(expected)


def test_kill_loses_nothing_that_was_acknowledged(tmp_path: Path) -> None:
    child = _child(_WRITER, str(tmp_path), "k", "100000", "5")
    assert child.stdout is not None
    acknowledged = -1
    while acknowledged < 20:
        acknowledged = int(child.stdout.readline())
    os.kill(child.pid, signal.SIGKILL)
    acknowledged = max([acknowledged, *(int(line) for line in child.stdout.read().split())])
    child.wait(10)
    child.stdout.close()
    titles = {row.experience.title for row in Store(tmp_path).experiences()[0]}
    assert {f"k{n}" for n in range(acknowledged + 1)} <= titles
    # And the store can still be written.
    again = _child(_WRITER, str(tmp_path), "after", "1", "1")
    again.communicate(timeout=30)
    assert again.returncode == 0


@pytest.mark.parametrize("table", ["experiences", "rewards"])
def test_an_empty_newest_manifest_is_moved_aside(words: Any, tmp_path: Path, table: str) -> None:
    store = Store(tmp_path)
    for number in range(3):
        store.add([(words.experience(f"e{number}"), b"", "")], [words.reward(number)])
    versions = tmp_path / f"{table}.lance" / "_versions"
    newest = min(versions.glob("*.manifest"))
    newest.write_bytes(b"")
    hint = versions / "latest_version_hint.json"
    assert hint.exists()
    reopened = Store(tmp_path)
    assert sum(reopened.counts()) == 5
    assert len(list((versions.parent / "_damaged").iterdir())) == 1
    reopened.add([(words.experience("e2"), b"", "")], [words.reward(2)])
    assert reopened.counts() == (3, 3)


def test_a_place_that_is_no_folder_is_named(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("x")
    with pytest.raises(StoreError, match=r"file.* cannot be opened"):
        Store(file).counts()


def test_compacting_keeps_everything_and_elects_one(words: Any, tmp_path: Path) -> None:
    store, reader = Store(tmp_path / "m"), Store(tmp_path / "m")
    for number in range(6):
        store.add([(words.experience(f"e{number}"), b"", "")], [words.reward(number)])
    assert reader.counts() == (6, 6)
    assert store.optimise(every=5)
    assert not store.optimise(every=5), "nothing was written since"
    assert reader.counts() == (6, 6)
    assert len(reader.experiences()[0]) == 6


# ---- export and import -------------------------------------------------------------------------------------


def test_export_and_import(words: Any, memory: Memory, tmp_path: Path) -> None:
    said = [words.experience(f"e{n}", words="grüße") for n in range(3)]
    events = tuple(words.reward(n, experience=said[n % 3].id) for n in range(5))
    memory.remember(Step(experiences=tuple(said), rewards=events))
    file = tmp_path / "memory.jsonl"
    assert memory.export(file).model_dump() == {"experiences": 3, "rewards": 5, "new": 0, "records": 0}
    other = Memory(tmp_path / "other", seeds=None)
    assert other.import_(file, own=True).new == 3
    assert other.import_(file, own=True).new == 0
    assert other.experiences() == memory.experiences()
    again = tmp_path / "again.jsonl"
    other.export(again)
    assert again.read_text() == file.read_text()


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("no json", r"f\.jsonl:2: the line cannot be parsed \(no JSON\)"),
        ('{"schema": 2, "experience": {}}', r"f\.jsonl:2: the line is not a record of schema 1"),
        ('["list"]', r"f\.jsonl:2: the line is not a record of schema 1"),
        ('{"schema": 1}', r"f\.jsonl:2: the line is neither an experience nor a reward"),
        ('{"schema": 1, "reward": {"id": "x"}}', r"f\.jsonl:2: \w+: field required"),
        ("changed", r"f\.jsonl:2: the id \w+ does not match its content"),
        ("unknown", r"f\.jsonl:2: surprise: extra inputs are not permitted"),
    ],
)
def test_garbage_is_refused_whole(
    words: Any, memory: Memory, tmp_path: Path, line: str, message: str
) -> None:
    good = {"schema": 1, "experience": words.experience("good").model_dump(mode="json")}
    bad: dict[str, Any] = json.loads(json.dumps(good))
    if line == "changed":
        bad["experience"]["text"] = "another text"
        line = json.dumps(bad)
    elif line == "unknown":
        bad["experience"]["surprise"] = 1
        line = json.dumps(bad)
    file = tmp_path / "f.jsonl"
    file.write_text(f"{json.dumps(good)}\n{line}\n")
    with pytest.raises(StoreError, match=message):
        memory.import_(file)
    assert memory.experiences() == ()


def test_files_that_are_not_there_or_no_text(memory: Memory, tmp_path: Path) -> None:
    with pytest.raises(StoreError, match=r"missing\.jsonl cannot be read: No such file"):
        memory.import_(tmp_path / "missing.jsonl")
    (tmp_path / "binary").write_bytes(b"\xff\xfe\0")
    with pytest.raises(StoreError, match="is not UTF-8 text"):
        memory.import_(tmp_path / "binary")
    with pytest.raises(StoreError, match="cannot be written"):
        memory.export(tmp_path / "no" / "folder.jsonl")


def test_showing_by_prefix(words: Any, memory: Memory) -> None:
    said = [words.experience(f"e{n}") for n in range(20)]
    memory.remember(Step(experiences=tuple(said), rewards=(words.reward(0, experience=said[3].id),)))
    shown = memory.show(said[3].id[:12])
    assert shown.experience == said[3]
    assert [(value.stage, value.count) for value in shown.values] == [("draft", 1), ("refine", 0)]
    assert memory.experiences()[0].experience == said[3], "the most used first"
    with pytest.raises(KeyError, match="no experience 'zz'"):
        memory.show("zz")
    with pytest.raises(KeyError, match="no experience ''"):
        memory.show("")
