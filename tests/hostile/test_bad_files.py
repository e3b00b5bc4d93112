"""Files of a workspace that are made to hang their reader or to eat its memory: opening one leaves the server able to answer.

Each case puts files beside a kernel that is opened in a real language server. Then the hover of a good file is asked for: the
server answers, and has not grown.
"""

import json
import os
import queue
import resource
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

# Nothing waits for as long as this but a server that hangs; a machine may be busy with other tests.
PATIENCE_S = 30.0
MOST_MB = 600
KERNEL = "__global__ void scale(float* x, int n) { int i = threadIdx.x; if (i < n) x[i] *= 2.0f; }\n"


def _text(name: str, text: str) -> Callable[[Path], None]:
    def make(folder: Path) -> None:
        (folder / name).write_text(text, encoding="utf-8")

    return make


def _named_task(name: str) -> Callable[[Path], None]:
    return _text("bad.cu", f"// kernelwright: task={name}\n{KERNEL}")


def _both(*makers: Callable[[Path], None]) -> Callable[[Path], None]:
    def make(folder: Path) -> None:
        for maker in makers:
            maker(folder)

    return make


def _pipe(folder: Path) -> None:
    os.mkfifo(folder / "bad.py")


def _pipe_of_settings(folder: Path) -> None:
    os.mkfifo(folder / "kernelwright.toml")


def _sparse(name: str) -> Callable[[Path], None]:
    def make(folder: Path) -> None:
        with (folder / name).open("wb") as file:
            file.truncate(6 << 30)

    return make


def _link(name: str, target: str) -> Callable[[Path], None]:
    return lambda folder: (folder / name).symlink_to(target)


def _commands(folder: Path) -> None:
    command = {"directory": str(folder), "command": "nvcc -DX=1 -Iinclude -c", "file": "other.cu"}
    listed = ",".join(json.dumps({**command, "file": f"other{n}.cu"}) for n in range(200_000))
    (folder / "compile_commands.json").write_text(f"[{listed}]")


def _nested_commands(folder: Path) -> None:
    (folder / "compile_commands.json").write_text("[" * 200_000)


_FOREACH = "$(foreach {0},1 2 3 4 5 6 7 8 9 0,{1})"
_LOOPS = "x"
for _name in "abcdefghij":
    _LOOPS = _FOREACH.format(_name, _LOOPS)

_TASK = _text("bad.py", "class Model: pass\ndef get_inputs(): pass\n")
CASES: dict[str, Callable[[Path], None]] = {
    "task is /dev/zero": _named_task("/dev/zero"),
    "task is /proc/kmsg": _named_task("/proc/kmsg"),
    "task links to /dev/zero": _link("bad.py", "/dev/zero"),
    "task is a pipe": _pipe,
    "task is sparse": _sparse("bad.py"),
    "settings are a pipe": _pipe_of_settings,
    "settings are /dev/zero": _link("kernelwright.toml", "/dev/zero"),
    "settings are nested": _text("kernelwright.toml", "a = " + "[" * 20_000 + "]" * 20_000 + "\n"),
    "settings have a long key": _text("kernelwright.toml", ".".join("a" * 20_000) + " = 1\n"),
    "settings have 10,000 mistakes": _text(
        "kernelwright.toml", "".join(f"k{n} = 1\n" for n in range(10_000))
    ),
    "sidecar is nested": _both(_TASK, _text("bad.toml", "a = " + "[" * 20_000 + "\n")),
    "sidecar is /dev/zero": _both(_TASK, _link("bad.toml", "/dev/zero")),
    "4,000 unknown keys": _text(
        "bad.cu", "// kernelwright: " + " ".join(f"key{n}=1" for n in range(4000)) + "\n" + KERNEL
    ),
    "4,000 directives": _text("bad.cu", "// kernelwright: task=t.py entry=e\n" * 4000 + KERNEL),
    "a long directive": _text(
        "bad.cu", "// kernelwright: args=" + '"' + "x + " * 90_000 + 'x" key=1\n' + KERNEL
    ),
    "a document of 8 MB": _text("bad.cu", KERNEL * (8 * 2**20 // len(KERNEL))),
    "a document of 8 MB of blanks": _text("bad.cu", " \n" * (4 << 20) + KERNEL),
    "4,000 kernels": _text("bad.cu", "".join(KERNEL.replace("scale", f"scale{n}") for n in range(4000))),
    "CMake doubles": _text("CMakeLists.txt", "set(A xxxxxxxx)\n" + 'set(A "${A}${A}")\n' * 60),
    "CMake fills": _text(
        "CMakeLists.txt", "set(A " + "x" * 60_000 + ")\n" + 'set(B "' + "${A}" * 200_000 + '")\n'
    ),
    "CMake asks": _text("CMakeLists.txt", 'set(A "' + "${A}" * 200_000 + '")\n'),
    "CMake nests": _text("CMakeLists.txt", "if(ON)\n" * 50_000),
    "CMake negates": _text("CMakeLists.txt", "if(" + "NOT " * 50_000 + "ON)\nendif()\n"),
    "CMake generates": _text(
        "CMakeLists.txt", "add_definitions(" + "$<1:" * 60 + "-DX" + ">" * 60 + ")\nadd_library(k bad.cu)\n"
    ),
    "CMake is /dev/zero": _link("CMakeLists.txt", "/dev/zero"),
    "setup.py doubles a text": _text(
        "setup.py", "a = 'x'\n" + "a = a + a\n" * 60 + "CUDAExtension('k', ['bad.cu'], include_dirs=[a])\n"
    ),
    "setup.py doubles a list": _text(
        "setup.py", "a = ['x']\n" + "a += a\n" * 60 + "CUDAExtension('k', ['bad.cu'], include_dirs=a)\n"
    ),
    "setup.py extends a list": _text("setup.py", "a = ['x']\n" + "a.extend(a)\n" * 60),
    "setup.py compares": _text(
        "setup.py",
        "a = [1]\nb = [1]\n" + "a = [a, a]\nb = [b, b]\n" * 60 + "if a == b:\n    c = 1\n",
    ),
    "setup.py nests": _text("setup.py", "a = " + "(" * 90 + "-" * 100_000 + "1" + ")" * 90),
    "setup.py is long": _text("setup.py", "a = [" + "1," * 120_000 + "]\n"),
    "setup.py is a number": _text("setup.py", "a = 0x" + "f" * 100_000 + "\nb = f'{a}'\nc = str(a)\n"),
    "Makefile includes /dev/zero": _text("Makefile", "include /dev/zero\nall: bad.cu\n\tnvcc bad.cu\n"),
    "Makefile is /dev/zero": _link("Makefile", "/dev/zero"),
    "Makefile loops": _text("Makefile", f"FLAGS = {_LOOPS}\nall: bad.cu\n\tnvcc $(FLAGS) bad.cu\n"),
    "Makefile refers to itself": _text(
        "Makefile", "FLAGS = $(FLAGS) $(FLAGS)\nall: bad.cu\n\tnvcc $(FLAGS) bad.cu\n"
    ),
    "Makefile multiplies": _text(
        "Makefile",
        "A := " + "x " * 30_000 + "\nFLAGS = $(addprefix $(A),$(A)) $(subst x,$(A),$(A)) $(A:%=%%%$(A))\n"
        "all: bad.cu\n\tnvcc $(FLAGS) bad.cu\n",
    ),
    "Makefile has one argument": _text(
        "Makefile", "FLAGS = $(strip " + "x" * 900_000 + ")\nall: bad.cu\n\tnvcc $(FLAGS) bad.cu\n"
    ),
    "200,000 commands": _commands,
    "commands are nested": _nested_commands,
    "commands are /dev/zero": _link("compile_commands.json", "/dev/zero"),
    "commands are sparse": _sparse("compile_commands.json"),
}


class Server:
    """A language server on its standard input and output."""

    def __init__(self, home: Path, data: Path, *, trusted: bool) -> None:
        own = {"XDG_CONFIG_HOME": str(home / "configuration"), "XDG_DATA_HOME": str(data)}
        self.process = subprocess.Popen(
            [sys.executable, "-m", "kernelwright_server", "serve", "--stdio"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, **own},
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_DATA, (3 << 30, 3 << 30)),
        )
        self.messages: queue.Queue[dict[str, Any]] = queue.Queue()
        self.seen: list[dict[str, Any]] = []
        threading.Thread(target=self._listen, daemon=True).start()
        self._number = 0
        self.request("initialize", {"processId": None, "rootUri": None, "capabilities": {},
                                    "initializationOptions": {"trusted": trusted}})  # fmt: skip
        self.notify("initialized", {})

    def _listen(self) -> None:
        out = self.process.stdout
        assert out is not None
        while header := out.readline():
            if header.lower().startswith(b"content-length"):
                while out.readline().strip():
                    pass
                self.messages.put(json.loads(out.read(int(header.split(b":")[1]))))

    def _send(self, message: dict[str, Any]) -> None:
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        assert self.process.stdin is not None
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        self.process.stdin.flush()

    def notify(self, method: str, params: dict[str, Any]) -> None:
        self._send({"method": method, "params": params})

    def request(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        """The answer.

        Raises:
            queue.Empty: there is none, for longer than anything takes.
        """
        self._number += 1
        self._send({"id": self._number, "method": method, "params": params})
        while True:
            message = self.messages.get(timeout=PATIENCE_S)
            self.seen.append(message)
            if "method" in message and "id" in message:
                answer: Any = [{}] if message["method"] == "workspace/configuration" else None
                self._send({"id": message["id"], "result": answer})
            elif message.get("id") == self._number:
                return message

    def open(self, path: Path) -> str:
        text = path.read_text(encoding="utf-8", errors="replace")
        item = {"uri": path.as_uri(), "languageId": "cuda-cpp", "version": 1, "text": text}
        self.notify("textDocument/didOpen", {"textDocument": item})
        return path.as_uri()

    def hover(self, uri: str, line: int, character: int) -> dict[str, Any]:
        place = {"line": line, "character": character}
        return self.request("textDocument/hover", {"textDocument": {"uri": uri}, "position": place})

    @property
    def peak_mb(self) -> int:
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(next(line for line in status.splitlines() if line.startswith("VmHWM")).split()[1]) >> 10

    def close(self) -> None:
        self.process.kill()
        self.process.wait()


@pytest.fixture(params=["untrusted", "trusted"])
def server(request: pytest.FixtureRequest, tmp_path: Path, own_data: Path) -> Iterator[Server]:
    home = tmp_path / "home"
    home.mkdir()
    started = Server(home, own_data, trusted=request.param == "trusted")
    yield started
    started.close()


@pytest.mark.parametrize("case", CASES)
def test_a_server_that_met_it_answers(server: Server, tmp_path: Path, case: str) -> None:
    folder = tmp_path / "project"
    (folder / "good").mkdir(parents=True)
    (folder / "good" / "good.cu").write_text(KERNEL)
    (folder / "good" / ".git").mkdir()
    (folder / "bad.cu").write_text(KERNEL)
    CASES[case](folder)
    bad = server.open(folder / "bad.cu")
    server.hover(bad, 0, KERNEL.index("scale"))
    good = server.open(folder / "good" / "good.cu")
    answer = server.hover(good, 0, KERNEL.index("scale"))
    assert "scale" in json.dumps(answer.get("result")), answer
    assert server.peak_mb < MOST_MB
    published = [m["params"] for m in server.seen if m.get("method") == "textDocument/publishDiagnostics"]
    assert all(len(p["diagnostics"]) <= 400 for p in published)
