"""The extension inside a real extension host: `vscode-extension/test/suite.ts`, run by a VS Code in a browser."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.vscode
TIME_LIMIT_MS = 900_000
SECRET = "sk-not-to-be-seen"  # the suite stores a key of this value


@pytest.mark.parametrize("setting", ["trusted", "restricted", "model"])
def test_in_the_extension_host(
    code_server: Callable[..., Any], extension: Path, browser: Any, workspace: Path, setting: str
) -> None:
    # Only one extension can be under development: beside the model's, ours is the packaged one.
    developed = extension / "test" / "model" if setting == "model" else extension
    server = code_server(setting, installed=setting == "model")
    server.results.unlink(missing_ok=True)
    page = browser.new_page()
    said: list[str] = []
    page.on("console", lambda message: said.append(message.text))
    page.expose_function("codeAutomationLog", lambda *_: None)
    page.expose_function("codeAutomationExit", lambda code, *_: said.append(f"exit {code}"))
    tests = extension / "out" / "test" / "index"
    payload = [("extensionDevelopmentPath", str(developed)), ("extensionTestsPath", str(tests))]
    page.goto(server.page(workspace, *payload))
    waited = 0
    while not server.results.is_file() and waited < TIME_LIMIT_MS:
        page.wait_for_timeout(250)
        waited += 250
    assert server.results.is_file(), "the extension host ran no test to its end:\n" + "\n".join(said[-40:])
    page.wait_for_timeout(100)
    outcomes = json.loads(server.results.read_text())
    failures = [
        f"{outcome['title']}\n{outcome['error']}" for outcome in outcomes if outcome["error"] is not None
    ]
    assert not failures, "\n\n".join(failures)
    assert len(outcomes) >= 3
    for log in server.logs.rglob("*.log"):
        assert SECRET not in log.read_text(errors="replace"), f"a model's key stands in {log.name}"
