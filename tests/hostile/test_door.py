"""What sandboxed code leaves in its folder in place of a result, and files of a workspace that never end."""

import os
import socket
from collections.abc import Callable
from pathlib import Path

import pytest

from kernelwright_backends.untrusted.handover import HandoverError, copy_out, discard, take
from kernelwright_backends.untrusted.reading import Unreadable, read_bounded

SECRET = b"the user's own"


def link(place: Path, outside: Path) -> None:
    place.symlink_to(outside)


def second_name(place: Path, outside: Path) -> None:
    os.link(outside, place)


def pipe(place: Path, _: Path) -> None:
    os.mkfifo(place)


def folder(place: Path, _: Path) -> None:
    place.mkdir()


def bound_socket(place: Path, _: Path) -> None:
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(place))


def large(place: Path, _: Path) -> None:
    place.touch()
    os.truncate(place, 1 << 40)


def somebody_elses(place: Path, _: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root can give a file away")
    place.write_bytes(b"{}")
    os.chown(place, 12345, 12345)


@pytest.mark.parametrize("plant", [link, second_name, pipe, folder, bound_socket, large, somebody_elses])
def test_what_is_no_result_is_not_taken(tmp_path: Path, plant: Callable[[Path, Path], None]) -> None:
    outside, writable, own = tmp_path / "secret", tmp_path / "writable", tmp_path / "own"
    outside.write_bytes(SECRET)
    writable.mkdir()
    own.mkdir()
    plant(writable / "answer", outside)
    with pytest.raises(HandoverError, match="answer"):
        take(writable, "answer", limit_bytes=1 << 20)
    with pytest.raises(HandoverError, match="answer"):
        copy_out(writable, "answer", own / "taken", limit_bytes=1 << 20)
    assert list(own.iterdir()) == []
    discard(writable)
    assert outside.read_bytes() == SECRET
    assert not writable.exists()


def test_a_folder_on_the_way_may_be_no_link(tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "answer").write_bytes(SECRET)
    (tmp_path / "writable").mkdir()
    (tmp_path / "writable" / "deep").symlink_to(tmp_path / "outside")
    with pytest.raises(HandoverError):
        take(tmp_path / "writable", "deep/answer", limit_bytes=1 << 20)
    for name in ("../outside/answer", str(tmp_path / "outside" / "answer"), "", "."):
        with pytest.raises(HandoverError):
            take(tmp_path / "writable", name, limit_bytes=1 << 20)


def test_nothing_that_stands_where_a_copy_goes_is_written(tmp_path: Path) -> None:
    outside, writable, own = tmp_path / "secret", tmp_path / "writable", tmp_path / "own"
    outside.write_bytes(SECRET)
    writable.mkdir()
    own.mkdir()
    (writable / "answer").write_bytes(b"theirs")
    (own / "taken").symlink_to(outside)
    with pytest.raises(FileExistsError):
        copy_out(writable, "answer", own / "taken", limit_bytes=1 << 20)
    assert outside.read_bytes() == SECRET


def test_a_result_is_copied_with_its_holes(tmp_path: Path) -> None:
    writable, own = tmp_path / "writable", tmp_path / "own"
    writable.mkdir()
    own.mkdir()
    with (writable / "answer").open("wb") as file:
        file.write(b"begin")
        file.seek(64 << 20)
        file.write(b"end")
    size_bytes = copy_out(writable, "answer", own / "taken", limit_bytes=1 << 30)
    assert (own / "taken").read_bytes() == (writable / "answer").read_bytes()
    assert (own / "taken").stat().st_size == size_bytes
    assert (own / "taken").stat().st_blocks * 512 < 8 << 20
    assert (own / "taken").stat().st_mode & 0o777 == 0o600


def test_a_folder_that_cannot_be_opened_is_removed_all_the_same(tmp_path: Path) -> None:
    (tmp_path / "writable" / "deep" / "deeper").mkdir(parents=True)
    (tmp_path / "writable" / "deep" / "deeper" / "file").touch()
    (tmp_path / "writable" / "deep" / "deeper").chmod(0)
    (tmp_path / "writable" / "deep").chmod(0)
    discard(tmp_path / "writable")
    assert not (tmp_path / "writable").exists()


@pytest.mark.parametrize("plant", [pipe, folder, bound_socket, large])
def test_what_never_ends_is_not_read(tmp_path: Path, plant: Callable[[Path, Path], None]) -> None:
    plant(tmp_path / "task.py", tmp_path)
    with pytest.raises(Unreadable, match=r"task\.py"):
        read_bounded(tmp_path / "task.py")
    for device in ("/dev/zero", "/dev/full"):
        with pytest.raises(Unreadable, match="not a regular file"):
            read_bounded(Path(device))
    # A file of the kernel's says that it has no bytes, and has them.
    with pytest.raises(Unreadable, match="more than 8 bytes"):
        read_bounded(Path("/proc/self/status"), limit_bytes=8)
