"""What must never get out: secrets into logs, images into hovers, processes past the server's end."""

import asyncio
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

SECRET = "sk-very-secret-0123456789"


def message(method: str, params: Any, number: int | None = None) -> bytes:
    body: dict[str, Any] = {"jsonrpc": "2.0", "method": method, "params": params}
    if number is not None:
        body["id"] = number
    encoded = json.dumps(body).encode()
    return b"Content-Length: %d\r\n\r\n%b" % (len(encoded), encoded)


def conversation(*more: bytes) -> bytes:
    options = {"trusted": False, "apiKey": SECRET}
    first = message(
        "initialize",
        {"capabilities": {}, "processId": None, "rootUri": None, "initializationOptions": options},
        1,
    )
    return b"".join(
        [first, message("initialized", {}), *more, message("shutdown", None, 2), message("exit", None)]
    )


@pytest.mark.parametrize("level", ["info", "debug"])
def test_no_secret_in_the_log(tmp_path: Path, level: str) -> None:
    text = "// kernelwright: task=a.py\n__global__ void k() {}\n"
    document = {"uri": (tmp_path / "k.cu").as_uri(), "languageId": "cuda-cpp", "version": 1, "text": text}
    settings = {"settings": {"kernelwright": {"agent": {"key": SECRET}}}}
    ended = subprocess.run(
        [sys.executable, "-m", "kernelwright_server", "serve", "--log-level", level],
        input=conversation(
            message("textDocument/didOpen", {"textDocument": document}),
            message("workspace/didChangeConfiguration", settings),
            message("workspace/executeCommand", {"command": "kernelwright.verify", "arguments": [SECRET]}, 3),
        ),
        capture_output=True,
        timeout=240,
        check=False,
        env={**os.environ, "OPENAI_API_KEY": SECRET},
    )
    assert ended.returncode == 0, ended.stderr.decode()
    assert SECRET not in ended.stderr.decode()
    assert SECRET not in ended.stdout.decode()


def test_only_pygls_is_imported_before_initialize_is_answered() -> None:
    with subprocess.Popen(
        [sys.executable, "-X", "importtime", "-m", "kernelwright_server", "--stdio"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as server:
        assert server.stdin is not None and server.stdout is not None and server.stderr is not None
        server.stdin.write(message("initialize", {"capabilities": {}, "processId": None, "rootUri": None}, 1))
        server.stdin.flush()
        assert b"Content-Length" in server.stdout.readline()
        server.kill()
        imported = server.stderr.read().decode()
    assert "pygls" in imported
    for heavy in ("pydantic", "tree_sitter", "numpy", "lancedb", "litellm", "rich"):
        assert f" {heavy}\n" not in imported, heavy
    # What makes output harmless needs the standard library alone, and holds from the first line on.
    ours = {
        name
        for line in imported.splitlines()
        if (name := line.rpartition("| ")[2].strip()).startswith("kernelwright_backends.")
    }
    assert ours <= {f"kernelwright_backends.display{name}" for name in ("", ".redaction", ".visible")}


IMAGE = "![x](https://attacker.example/a.png)"


async def test_no_image_and_no_link_in_a_hover(start: Any, tmp_path: Path) -> None:
    """Whatever a file says comes out as the letters that it is made of."""
    editor = await start({"trusted": True, "review": True})
    text = (
        f'// kernelwright: task="{IMAGE}<img src=x>[y](command:z)|`{IMAGE}` https://attacker.example/b" entry=k grid=1 block=1\n'
        "__global__ void k(float* x) { x[0] = 1; }\n"
    )
    path = tmp_path / "k.cu"
    path.write_text(text)
    uri = await editor.open(path)
    await editor.verified(uri)
    hover = await editor.hover(uri, 1, 17)
    assert "attacker" in hover, "the finding is shown"
    for active in ("![", "](", "<img", "https://attacker", "command:"):
        assert active not in hover.replace("&#", ""), hover


async def test_shutdown_leaves_no_process(start: Any, relu: Path) -> None:
    editor = await start()
    text = (relu / "relu_naive.cu").read_text()
    for number in range(3):
        path = relu / f"copy{number}.cu"
        path.write_text(text + f"// {number}\n")
        uri = await editor.open(path)
        editor.save(uri)
    server = editor.client._server.pid
    children: set[int] = set()
    async with asyncio.timeout(240):
        while not children:
            await asyncio.sleep(0.05)
            children |= descendants(server)
    await asyncio.sleep(0.3)
    children |= descendants(server)
    await editor.client.shutdown_session()
    async with asyncio.timeout(30):
        while alive := {pid for pid in children | {server} if is_alive(pid)}:
            await asyncio.sleep(0.1)
    assert not alive


def descendants(pid: int) -> set[int]:
    found: set[int] = set()
    for task in Path(f"/proc/{pid}/task").glob("*"):
        try:
            for child in map(int, (task / "children").read_text().split()):
                found |= {child} | descendants(child)
        except OSError:
            continue
    return found


def is_alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


async def test_a_server_whose_client_is_gone_ends(start: Any, relu: Path) -> None:
    editor = await start()
    uri = await editor.open(relu / "relu_naive.cu")
    editor.save(uri)
    await editor.until(lambda: editor.progress)
    server = editor.client._server
    server.stdin.close()
    async with asyncio.timeout(60):
        await server.wait()
