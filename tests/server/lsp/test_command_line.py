"""The dispatcher of the command line, and the commands that need no kernel."""

import subprocess
import sys

import pytest

from kernelwright_server.cli import COMMANDS, main


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["chek"], "no such command: 'chek'; did you mean check?"),
        (["--chek"], "no such option: '--chek'"),
        (["explain", "--loud"], "unrecognized arguments: --loud"),
        (["explain", "RACE_SHARD"], "did you mean RACE_SHARED"),
        (["explain", "NOTHING_LIKE_IT"], "lists all codes"),
        (["serve", "--log-level", "loud"], "invalid choice"),
    ],
)
def test_mistakes_get_one_line(arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(arguments) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert said in shown.err
    assert shown.err.startswith("kernelwright: ") and shown.err.count("\n") == 1


def test_help_names_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--help"]) == 0
    shown = capsys.readouterr().out
    assert all(f"  {name} " in shown for name in COMMANDS)


def test_help_and_version_import_no_command() -> None:
    program = (
        "import sys; from kernelwright_server.cli import main; main(['--help']); main(['--version'])\n"
        "assert not [m for m in sys.modules if m.startswith('kernelwright_') and m.count('.') > 1 and not m.endswith(('.errors', '.screen', '.search_path', '.display', '.redaction', '.visible'))]\n"
        "assert 'pydantic' not in sys.modules and 'pygls' not in sys.modules"
    )
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr


def test_explain_prints_the_page(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "env-untrusted"]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith("ENV_UNTRUSTED (information, no gate)")
    assert "## Fix" in shown
    assert main(["explain"]) == 0
    assert "RACE_SHARED" in capsys.readouterr().out


def test_the_module_is_the_command() -> None:
    ended = subprocess.run(
        [sys.executable, "-m", "kernelwright_server", "--version"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 0
    assert ended.stdout.startswith("kernelwright ")
