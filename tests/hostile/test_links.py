"""Names on the command line that the author of a clone has made links: what they lead to is neither shown nor written.

What is looked at is the effect: the user's text in what is said, or the user's file with another content.
"""

import types
import uuid
from pathlib import Path

import pytest

from kernelwright_backends.untrusted.placing import put
from kernelwright_backends.untrusted.reach import named_file
from kernelwright_memory import Memory
from kernelwright_server.cli import main
from kernelwright_server.reports import timeline
from kernelwright_verifier.project.trust import distrust, trust
from kernelwright_verifier.verifier import read_candidate

KERNEL = "__global__ void k(float* x) {{ x[threadIdx.x] = {}; }}\n"


class Place:
    def __init__(self, folder: Path) -> None:
        self.canary = f"kanary_{uuid.uuid4().hex}"
        self.clone = folder / "home" / "clone"
        (self.clone / ".git").mkdir(parents=True)
        self.private = folder / "home" / "private"
        self.private.mkdir()
        self.own = self.private / "own.cu"
        self.own.write_text(KERNEL.format(self.canary))

    def own_is_whole(self) -> bool:
        return not self.own.is_symlink() and self.own.read_text() == KERNEL.format(self.canary)


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


LINKS = {
    "a file": ("k.cu", "../private/own.cu", "k.cu"),
    "a file by its whole name": ("k.cu", "{own}", "k.cu"),
    "a folder": ("sub", "../private", "sub/own.cu"),
    "a folder of a folder": ("a/b", "../../private", "a/b/own.cu"),
    "a hidden file of the clone": ("k.cu", ".git/own.cu", "k.cu"),
}
COMMANDS = {
    "check": ("check",),
    "check as JSON": ("check", "--format", "json"),
    "assembly": ("assembly",),
    "verdict": ("verdict", "show"),
    "draft": ("draft", "--generator", "templates"),
    "refine": ("refine", "--generator", "templates", "--write"),
    "artefact": ("artefact", "check"),
}


@pytest.mark.parametrize("link", LINKS)
@pytest.mark.parametrize("command", COMMANDS)
def test_what_a_link_leads_to_is_not_read(
    place: Place, link: str, command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    name, target, asked = LINKS[link]
    (place.clone / ".git" / "own.cu").write_text(place.own.read_text())
    made = place.clone / name
    made.parent.mkdir(exist_ok=True)
    made.symlink_to(target.format(own=place.own))
    words = COMMANDS[command]
    before = sorted(path for path in place.clone.rglob("*"))
    assert main([*words, str(place.clone / asked)]) == (3 if words[0] in ("check", "draft", "refine") else 2)
    said = "".join(capsys.readouterr())
    assert place.canary not in said
    assert "symbolic link" in said and "kernelwright trust" in said
    assert place.own_is_whole() and sorted(path for path in place.clone.rglob("*")) == before


def test_a_folder_that_is_a_link_is_walked_for_nothing(
    place: Place, capsys: pytest.CaptureFixture[str]
) -> None:
    (place.clone / "sub").symlink_to("../private")
    for named in (place.clone, place.clone / "sub"):
        assert main(["check", str(named)]) == 3
        assert place.canary not in "".join(capsys.readouterr())


def test_a_task_that_is_a_link(place: Place, capsys: pytest.CaptureFixture[str]) -> None:
    text = f"class Model: {place.canary}\ndef get_inputs(): pass\n"
    (place.private / "task.py").write_text(text)
    (place.clone / "task.py").symlink_to("../private/task.py")
    assert main(["check", str(place.clone / "task.py")]) == 3
    assert place.canary not in "".join(capsys.readouterr())


def test_links_that_stay_are_followed(place: Place, tmp_path: Path) -> None:
    real = place.clone / "src" / "real.cu"
    real.parent.mkdir()
    real.write_text(KERNEL.format("1.0f"))
    (place.clone / "k.cu").symlink_to("src/real.cu")
    (place.clone / "all").symlink_to("src")
    # How the user arranges his own folders is his affair.
    (tmp_path / "work").symlink_to(place.clone.parent)
    for name in ("k.cu", "all/real.cu", "src/../k.cu"):
        assert read_candidate(place.clone / name).path == real
        assert read_candidate(tmp_path / "work" / "clone" / name).path == real


def test_a_trusted_folder_may_be_led_to(place: Place) -> None:
    (place.clone / "k.cu").symlink_to(place.own)
    trust(place.private)
    try:
        assert named_file(place.clone / "k.cu") == place.own
    finally:
        distrust(place.private)
    with pytest.raises(OSError, match="outside of its project"):
        named_file(place.clone / "k.cu")


# -- what the command line writes


def written_timeline(out: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    timelines = types.SimpleNamespace(trace=lambda data: data)
    monkeypatch.setattr(timeline, "_timeline", lambda _: (timelines, {}))
    monkeypatch.setattr(timeline, "_picture", lambda *_: "<svg/>")
    timeline.write_timeline(None, out)  # type: ignore[arg-type]


@pytest.mark.parametrize("there", [True, False])
@pytest.mark.parametrize("what", ["timeline", "export", "put"])
def test_a_file_is_not_written_through_a_link(
    place: Place, what: str, there: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = place.clone / "out.svg"
    if not there:
        place.own.unlink()
    out.symlink_to(place.own)

    def write() -> None:
        if what == "timeline":
            written_timeline(out, monkeypatch)
        elif what == "export":
            Memory(tmp_path / "memory").export(out)
        else:
            put(out, b"theirs")

    with pytest.raises(Exception, match="symbolic link"):
        write()
    assert place.own_is_whole() if there else not place.own.exists()
    assert out.is_symlink() and [p.name for p in place.clone.iterdir() if p.name != ".git"] == ["out.svg"]
    out.unlink()
    write()
    first = out.read_bytes()
    write()
    assert out.read_bytes()[:5] == first[:5] and not out.is_symlink()


def test_a_pipe_is_not_replaced(tmp_path: Path) -> None:
    import os

    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(OSError, match="something else than a file"):
        put(tmp_path / "pipe", b"x")
    assert (tmp_path / "pipe").is_fifo()
