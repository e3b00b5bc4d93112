"""Shared by the tests in real editors: the server's command, workspaces made of the examples, a neovim that is driven."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

REPOSITORY = Path(__file__).parents[2]
EXAMPLES = REPOSITORY / "examples"
PROBE = Path(__file__).parent / "neovim" / "probe.lua"


@pytest.fixture(scope="session")
def serve() -> list[str]:
    """The command that any editor starts: the one installed beside this Python."""
    program = Path(sys.executable).with_name("kernelwright")
    if not program.is_file():
        pytest.skip(f"{program} is not installed: run 'make test', or pip install -e . in this environment")
    return [str(program), "serve"]


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """A fresh copy of examples/relu, so that a test may write into it."""
    return Path(shutil.copytree(EXAMPLES / "relu", tmp_path / "relu"))


@pytest.fixture
def neovim(serve: list[str], workspace: Path, tmp_path: Path) -> Callable[..., dict[str, Any]]:
    """`neovim(file, *steps, trusted=True)`: run the steps of `neovim/probe.lua` on a file of the workspace in a
    headless neovim of its own and return what it saw. A step that waits in vain fails the test."""
    program = shutil.which("nvim")
    if program is None:
        pytest.skip("neovim is not installed: apt-get install neovim, or make test as root")

    def run(file: str, *steps: dict[str, Any], trusted: bool = True, settings: Any = None) -> dict[str, Any]:
        scenario, result, log = tmp_path / "scenario.json", tmp_path / "result.json", tmp_path / "server.log"
        scenario.write_text(
            json.dumps(
                {
                    "command": ["/bin/sh", "-c", 'exec "$0" "$@" 2>"$KERNELWRIGHT_SERVER_LOG"', *serve],
                    "root": str(workspace),
                    "file": str(workspace / file),
                    "result": str(result),
                    "timeout_s": 90,
                    "initializationOptions": {"trusted": trusted},
                    "settings": settings or {},
                    "steps": steps,
                }
            )
        )
        environment = {
            **os.environ,
            "KERNELWRIGHT_PROBE": str(scenario),
            "KERNELWRIGHT_SERVER_LOG": str(log),
        }
        done = subprocess.run(
            [program, "--headless", "-u", "NONE", "-i", "NONE", "-n", "-c", f"luafile {PROBE}"],
            cwd=workspace,
            env=environment,
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
        assert result.is_file(), f"neovim ended with {done.returncode} and said:\n{done.stdout}{done.stderr}"
        seen: dict[str, Any] = json.loads(result.read_text())
        said = log.read_text()[-3000:] if log.is_file() else ""
        assert seen.get("problem") is None, (
            f"{seen['problem']}\nmessages: {seen['messages']}\nstatuses: {seen['statuses'][-3:]}\n{said}"
        )
        return seen

    return run
