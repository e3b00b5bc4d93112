"""Root and an ordinary user: the same attacks, and a verdict on a checkout that nobody else may read."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from kernelwright_verifier.pipeline.options import VerifyOptions
from kernelwright_verifier.sandbox import Sandbox
from kernelwright_verifier.verifier import Verifier, read_candidate

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
UID = 64321  # without an entry in /etc/passwd
CORE = ["test_reach.py", "test_nobody.py", "test_disk.py", "test_both_users.py"]
CORE += [
    f"test_workers.py::test_{name}"
    for name in (
        "a_worker_has_nothing_left_to_give",
        "other_processes_cannot_be_read",
        "answers_of_others_cannot_be_given",
        "others_cannot_be_signalled",
        "the_scratch_of_others_is_out_of_reach",
        "nothing_of_a_task_outlives_its_worker",
        "nothing_is_left_in_the_cache",
    )
]
INSIDE = "KERNELWRIGHT_HOSTILE_AS_USER"


async def test_a_verdict_on_a_private_checkout(sandbox: Sandbox, examples: Path, tmp_path: Path) -> None:
    """Below a home of mode 0700, all made with umask 077."""
    home = tmp_path / "home"
    shutil.copytree(examples / "relu", home / "project" / "relu")
    for path in (home, *home.rglob("*")):
        path.chmod(0o700 if path.is_dir() else 0o600)
    before = {path: (path.stat().st_mode, path.stat().st_uid) for path in home.rglob("*")}
    previous = os.umask(0o077)
    try:
        async with Verifier(sandbox=sandbox.name) as verifier:
            plan = verifier.plan(read_candidate(home / "project" / "relu" / "relu_naive.cu"))[0]
            verdict = await verifier.verdict(plan, VerifyOptions(latency=False))
    finally:
        os.umask(previous)
    assert (verdict.feasible, verdict.sandbox) == (True, sandbox.name), verdict.findings
    assert {path: (path.stat().st_mode, path.stat().st_uid) for path in before} == before


@pytest.mark.skipif(os.geteuid() != 0 or INSIDE in os.environ, reason="for root, who can be another user")
def test_the_core_attacks_as_an_ordinary_user(
    tmp_path_factory: pytest.TempPathFactory, record_property: object
) -> None:
    import tempfile

    home = Path(tempfile.mkdtemp(prefix="kernelwright-user-"))
    shown = {ROOT, Path(sys.prefix), Path(sys.base_prefix)}
    shown |= {Path(entry) for entry in sys.path if Path(entry).is_dir()}
    tops = [
        path for path in shown if not any(path != other and path.is_relative_to(other) for other in shown)
    ]
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir", str(ROOT)]
    command += ["-c", str(ROOT / "pyproject.toml"), *(str(HERE / name) for name in CORE)]
    argv = [sys.executable, str(HERE / "as_user.py"), str(UID), str(home), *map(str, tops), "--", *command]
    try:
        done = subprocess.run(
            argv, env=os.environ | {INSIDE: "1"}, capture_output=True, text=True, timeout=1500
        )
    finally:
        shutil.rmtree(home, ignore_errors=True)
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]
    for line in done.stdout.splitlines():
        if line.startswith("covered: "):
            for covered in line.removeprefix("covered: ").split(", "):
                record_property("covered", covered)  # type: ignore[operator]
