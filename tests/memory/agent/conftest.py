"""What the memory's tests share: builders of words, a real model server on loopback."""

import json
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from kernelwright_backends.core.finding import finding
from kernelwright_backends.core.target import Target
from kernelwright_memory import Memory
from kernelwright_memory.agent import Assignment
from kernelwright_memory.bank.embedding_text import card
from kernelwright_memory.bank.experience import Experience, Origin
from kernelwright_memory.bank.reward import Reward
from kernelwright_memory.generators.base import CannotGenerate, Generation, GenerationRequest
from kernelwright_verifier.results.verdict import GATES, GateResult, Verdict
from kernelwright_verifier.task.task import Argument, Operator, OperatorTrace, TaskDescription, TensorSpec

TASK = """
import torch

class Model(torch.nn.Module):
    def forward(self, x):
        return torch.relu(x)

def get_inputs():
    return [torch.randn(64, 64)]

def get_init_inputs():
    return []
"""

STUB = """// kernelwright: task=relu.py entry=relu
#include <torch/extension.h>

torch::Tensor relu(torch::Tensor x) {
}
"""


def kernel(block: int, body: str = "y[i] = x[i] > 0 ? x[i] : 0;") -> str:
    """A source that differs by its block size."""
    return (
        "// kernelwright: task=relu.py entry=relu\n#include <torch/extension.h>\n\n"
        f"__global__ void relu_kernel(const float* x, float* y, int n) {{\n"
        f"  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) {{ {body} }}\n}}\n\n"
        "torch::Tensor relu(torch::Tensor x) {\n  auto y = torch::empty_like(x);\n"
        f"  relu_kernel<<<(x.numel() + {block - 1}) / {block}, {block}>>>"
        "(x.data_ptr<float>(), y.data_ptr<float>(), x.numel());\n  return y;\n}\n"
    )


def verdict(
    *,
    failed: str | None = None,
    code: str = "MISMATCH_VALUE",
    message: str = "7 of 64 elements differ",
    pattern: str = "tail",
    error: bool = False,
    latency_us: float | None = None,
    low_us: float | None = None,
    high_us: float | None = None,
    source: str = "estimated",
    bottleneck: str | None = None,
) -> Verdict:
    """A verdict as the verifier gives it: feasible, failed at a gate, or not to be had (`error`)."""
    gates, ended = [], False
    for name in GATES:
        if ended:
            gates.append(GateResult(gate=name, status="skipped"))
        elif error and name == "compile":
            missing = finding("ENV_COMPILER", "no C++ compiler was found", "relu.cu")
            gates.append(GateResult(gate=name, status="error", findings=(missing,)))
            ended = True
        elif name == failed:
            found = finding(code, message, "relu.cu", data={"pattern": pattern})
            gates.append(GateResult.of(name, (found,), 0.0))
            ended = True
        else:
            gates.append(GateResult.of(name, (), 0.0))
    return Verdict(
        file="relu.cu",
        dialect="cuda",
        entry="relu",
        form="tensor",
        task="relu.py",
        target="cuda:sm_90@cpu",
        chip="h200",
        feasible=None if error else failed is None,
        gates=tuple(gates),
        latency_us=latency_us,
        latency_low_us=low_us,
        latency_high_us=high_us,
        latency_source=source if latency_us is not None else None,
        bottleneck=bottleneck,
    )


def experience(title: str, *, kind: str = "summary", words: str = "", **fields: Any) -> Experience:
    defaults: dict[str, Any] = {
        "dialect": "cuda",
        "text": f"{title}\n",
        "card": card(title=title, words=words.split()),
        "origin": Origin(source="run", date="2026-11-21T00:00:00+00:00"),
    }
    return Experience.of(kind=kind, title=title, **(defaults | fields))


def reward(number: int, **fields: Any) -> Reward:
    """The `number`-th event of a run, one event a step."""
    defaults: dict[str, Any] = {
        "id": f"run-{number}",
        "run": "run",
        "step": number,
        "stage": "draft",
        "task": "t",
        "dialect": "cuda",
        "family": "elementwise",
        "experience": "e",
        "role": "context",
        "policy": "evokernel",
        "propensity": 1.0,
        "feasible": True,
        "reward": 1.0,
        "date": f"2026-11-21T00:00:00.{number:06d}+00:00",
    }
    return Reward(**(defaults | fields))


@dataclass
class Words:
    """The builders, as one fixture: test files import nothing of each other."""

    task: str = TASK
    stub: str = STUB
    kernel: Callable[..., str] = field(default=staticmethod(kernel))
    verdict: Callable[..., Verdict] = field(default=staticmethod(verdict))
    experience: Callable[..., Experience] = field(default=staticmethod(experience))
    reward: Callable[..., Reward] = field(default=staticmethod(reward))

    def assignment(self, text: str | None = None) -> Assignment:
        x = TensorSpec(name="x", dtype="float32", shape=(64, 64), strides=(64, 1))
        out = TensorSpec(name="out", dtype="float32", shape=(64, 64), strides=(64, 1))
        return Assignment(
            task_text=self.task,
            description=TaskDescription(
                forward=(Argument(name="x", kind="tensor", tensor=x),),
                outputs=(out,),
                trace=OperatorTrace(
                    values={"x": x, "%0": out},
                    operators=(Operator(name="relu", inputs=("x",), outputs=("%0",)),),
                    outputs=("%0",),
                ),
            ),
            path=Path("relu.cu"),
            text=text if text is not None else self.stub,
            entry="relu",
            form="tensor",
            target=Target.parse("cuda:sm_90@cpu"),
            task_name="relu",
            verifier="0.1.0",
            toolchain="g++ 12",
        )

    def request(self, **fields: Any) -> GenerationRequest:
        assignment = self.assignment()
        return GenerationRequest(
            **{
                "stage": "draft",
                "task_text": assignment.task_text,
                "description": assignment.description,
                "path": assignment.path,
                "text": assignment.text,
                "entry": assignment.entry,
                "form": assignment.form,
                "target": assignment.target,
            }
            | fields
        )


@pytest.fixture(autouse=True)
def _own_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The user's cache and memory stay as they are."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))


@pytest.fixture(scope="session")
def words() -> Words:
    return Words()


@pytest.fixture
def memory(tmp_path: Path) -> Memory:
    return Memory(tmp_path / "memory", seeds=None)


class Scripted:
    """A generator that writes what it is told, in order."""

    def __init__(self, *texts: str, name: str = "scripted", used: int | None = None) -> None:
        self.name = name
        self.requests: list[GenerationRequest] = []
        self._texts, self._used = list(texts), used

    async def generate(self, request: GenerationRequest) -> Generation:
        self.requests.append(request)
        if not self._texts:
            raise CannotGenerate("every variant was tried")
        used = None if self._used is None else tuple(e.id for e in request.context[: self._used])
        return Generation(
            text=self._texts.pop(0),
            generator=self.name,
            parameters={"variant": len(self.requests)},
            summary="another block size",
            used=used,
            tokens_in=10,
            tokens_out=5,
            cost_usd=0.001,
        )


@pytest.fixture(scope="session")
def scripted() -> type[Scripted]:
    return Scripted


# ---- a model server ----------------------------------------------------------------------------------------


@dataclass
class ModelServer:
    """An OpenAI-compatible server. `script` says what to do with each call, the last entry with all further
    ones.
    """

    url: str
    script: list[Any] = field(default_factory=list)
    calls: list[dict[str, Any]] = field(default_factory=list)
    keys: list[str | None] = field(default_factory=list)
    hung_up: threading.Event = field(default_factory=threading.Event)
    release: threading.Event = field(default_factory=threading.Event)

    def reset(self, *script: Any) -> None:
        self.script = list(script)
        self.calls.clear()
        self.keys.clear()
        self.hung_up.clear()
        self.release.clear()


def _handler(server: ModelServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def log_message(self, *arguments: Any) -> None:
            """Quiet."""

        def do_GET(self) -> None:
            self._send(200, {"object": "list", "data": [{"id": "local-model", "object": "model"}]})

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            server.calls.append(body)
            server.keys.append(self.headers.get("Authorization"))
            action = server.script.pop(0) if len(server.script) > 1 else server.script[0]
            if self.path.endswith("/embeddings"):
                rows = [
                    {"object": "embedding", "index": i, "embedding": [1.0, float(len(text)), 2.0]}
                    for i, text in enumerate(body["input"])
                ]
                usage = {"prompt_tokens": 1, "total_tokens": 1}
                self._send(200, {"object": "list", "data": rows, "model": body["model"], "usage": usage})
            elif isinstance(action, int):
                echo = self.headers.get("Authorization", "")
                self._send(
                    action, {"error": {"message": f"refused, you sent {echo}", "type": "x", "code": None}}
                )
            elif action == "garbage":
                self.send_response(200)
                self.send_header("Content-Type", "text/html")
                self.end_headers()
                self.wfile.write(b"<html>a proxy says hello</html>")
            else:
                self._stream(str(action), body["model"])

        def _stream(self, text: str, model: str) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/event-stream")
            self.end_headers()
            hangs = text == "hang"
            pieces = ["slow "] * 3 if hangs else [text[i : i + 40] for i in range(0, len(text), 40)]
            try:
                for piece in pieces:
                    self._event(
                        model, {"choices": [{"index": 0, "delta": {"role": "assistant", "content": piece}}]}
                    )
                while hangs and not server.release.wait(0.05):
                    self._event(model, {"choices": [{"index": 0, "delta": {"content": "."}}]})
                self._event(model, {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]})
                usage = {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120}
                self._event(model, {"choices": [], "usage": usage})
                self.wfile.write(b"data: [DONE]\n\n")
            except OSError:
                server.hung_up.set()

        def _event(self, model: str, fields: dict[str, Any]) -> None:
            chunk = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": model} | fields
            self.wfile.write(f"data: {json.dumps(chunk)}\n\n".encode())
            self.wfile.flush()

        def _send(self, status: int, body: dict[str, Any]) -> None:
            content = json.dumps(body).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

    return Handler


@pytest.fixture(scope="session")
def _model_server() -> Iterator[ModelServer]:
    state = ModelServer(url="")
    with ThreadingHTTPServer(("127.0.0.1", 0), _handler(state)) as http:
        http.daemon_threads = True
        state.url = f"http://127.0.0.1:{http.server_address[1]}/v1"
        thread = threading.Thread(target=http.serve_forever, daemon=True)
        thread.start()
        yield state
        state.release.set()
        http.shutdown()


@pytest.fixture
def model_server(_model_server: ModelServer) -> Iterator[ModelServer]:
    """The server, with an empty script."""
    _model_server.reset("unscripted")
    yield _model_server
    _model_server.release.set()
