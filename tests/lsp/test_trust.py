"""In a workspace that is not trusted nothing is compiled or run, and the server says so."""

from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types

from kernelwright_server import cli
from kernelwright_verifier.trust import is_trusted, trusted_folders


async def test_untrusted_nothing_runs(start: Any, relu: Path) -> None:
    editor = await start({"trusted": False, "review": True})
    uri = await editor.open(relu / "relu_wrong_tail.cu")
    editor.save(uri)
    await editor.until(lambda: editor.codes(uri))
    assert editor.codes(uri) == ["ENV_UNTRUSTED"]
    assert editor.diagnostics(uri)[0].severity == types.DiagnosticSeverity.Information
    assert await editor.titles(uri) == ["Draft", "Refine", "not verified: untrusted"] * 2
    for name in ("verify", "draft", "refine"):
        await editor.command(name, {"uri": uri, "entry": "relu"})
    actions = await editor.actions(uri, 4, 20)
    assert all("not trusted" in action["disabled"]["reason"] for action in actions.values())
    assert await editor.titles(uri) == ["Draft", "Refine", "not verified: untrusted"] * 2
    assert editor.state == "untrusted"
    assert not any(status.state == "busy" for status in editor.statuses)
    assert editor.progress == []
    assert sum("not trusted" in message for message in editor.shown) == 3


async def test_trust_comes_by_notification(start: Any, relu: Path) -> None:
    editor = await start({"trusted": False})
    uri = await editor.open(relu / "relu_naive.cu")
    await editor.until(lambda: editor.codes(uri) == ["ENV_UNTRUSTED"])
    editor.client.protocol.notify("kernelwright/trust", {"trusted": True})
    await editor.until(lambda: editor.state == "idle")
    assert (await editor.titles(uri))[2] == "not verified"
    assert editor.codes(uri) == []
    editor.client.protocol.notify("kernelwright/trust", {"trusted": False})
    await editor.until(lambda: editor.state == "untrusted")
    await editor.until(lambda: editor.codes(uri) == ["ENV_UNTRUSTED"])


async def test_trust_of_the_users_own_list(
    start: Any,
    relu: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """`kernelwright trust FOLDER` speaks for editors that send no options at all."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "configuration"))
    assert cli.main(["trust", str(relu)]) == 0
    assert cli.main(["trust"]) == 0
    assert str(relu) in capsys.readouterr().out
    editor = await start({})
    uri = await editor.open(relu / "relu_naive.cu")
    assert (await editor.titles(uri))[2] == "not verified"
    assert editor.codes(uri) == []
    outside = tmp_path / "elsewhere.cu"
    outside.write_text((relu / "relu_naive.cu").read_text())
    other = await editor.open(outside)
    await editor.until(lambda: "ENV_UNTRUSTED" in editor.codes(other))
    assert cli.main(["trust", "--remove", str(relu)]) == 0
    assert not is_trusted(relu)


def test_the_list_is_the_users_and_mistakes_get_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    for arguments in (
        ["trust", str(tmp_path / "missing")],
        ["trust", "--remove", str(tmp_path)],
        ["trust", "--remove"],
    ):
        assert cli.main(arguments) == 2
        error = capsys.readouterr().err
        assert error.startswith("kernelwright: ") and error.count("\n") == 1
    assert trusted_folders() == ()
    assert cli.main(["trust", str(tmp_path)]) == 0
    (file,) = (tmp_path / "kernelwright").iterdir()
    file.write_text("{")
    assert cli.main(["trust"]) == 2
    assert "repair or delete it" in capsys.readouterr().err
    assert not is_trusted(tmp_path), "a list that cannot be read trusts nothing"
