"""`kernelwright init`: the task that it writes binds as it stands, and it never waits."""

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

Run = Callable[..., "subprocess.CompletedProcess[str]"]
_GUARD = "int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) "
CASES = {
    "a launcher": (
        f"__global__ void k(const float* x, float* y, int n) {{ {_GUARD}y[i] = x[i]; }}\n"
        "void copy(const float* x, float* y, int n) { k<<<(n + 255) / 256, 256>>>(x, y, n); }\n",
        ["--shape", "n=100"],
        'args="x, out, n"',
    ),
    "pointers that are not const": (
        f"__global__ void k(float* a, float* c, int n) {{ {_GUARD}c[i] = a[i]; }}\n"
        "void copy(float* a, float* c, int n) { k<<<(n + 255) / 256, 256>>>(a, c, n); }\n",
        [],
        'args="a, out, n"',
    ),
    "in place": (
        f"__global__ void k(float* x, int n) {{ {_GUARD}x[i] *= 2; }}\n"
        "void scale(float* x, int n) { k<<<(n + 255) / 256, 256>>>(x, n); }\n",
        [],
        'args="inout(x), n"',
    ),
    "a kernel alone, of half": (
        f"#include <cuda_fp16.h>\n__global__ void fill(const half* in, half* lambda, int n, float by) {{ {_GUARD}lambda[i] = in[i]; }}\n",
        [],
        'args="in_, out, n, by" grid="ceil_div(n, 256)"',
    ),
    "tensors": (
        "#include <torch/extension.h>\n"
        f"__global__ void k(const float* x, float* y, int n) {{ {_GUARD}y[i] = x[i]; }}\n"
        "torch::Tensor copy(torch::Tensor x) { auto y = torch::empty_like(x); int n = x.numel();\n"
        "  k<<<(n + 255) / 256, 256>>>(x.data_ptr<float>(), y.data_ptr<float>(), n); return y; }\n",
        ["--shape", "8x16", "--dtype", "float32"],
        "entry=copy",
    ),
}


@pytest.mark.parametrize(("text", "words", "said"), CASES.values(), ids=CASES.keys())
def test_the_skeleton_binds(
    kernelwright: Run, tmp_path: Path, text: str, words: list[str], said: str
) -> None:
    file = tmp_path / "kernel.cu"
    file.write_text(text)
    done = kernelwright("init", file, *words, stdin=subprocess.DEVNULL)
    assert done.returncode == 0, done.stderr
    assert said in file.read_text()
    assert (tmp_path / "kernel.py").exists()
    checked = kernelwright("check", file, "--format", "json", "--no-latency", "--stage", "smoke")
    (verdict,) = map(json.loads, checked.stdout.splitlines())
    gates = {gate["gate"]: gate for gate in verdict["gates"]}
    assert gates["compile"]["status"] == "passed", gates["compile"]["findings"]
    codes = {f["code"] for f in gates["correctness"]["findings"] if f["severity"] == "error"}
    assert codes <= {"MISMATCH_VALUE"}, "the zeros of the skeleton, and nothing else"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--shape", "n=x"], "--shape: 'n=x' is not of the form"),
        (["--shape", "z=4x4"], "has no tensor 'z' (tensors: x, y)"),
        (["missing"], "has no function 'missing'"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(
    kernelwright: Run, tmp_path: Path, words: list[str], said: str
) -> None:
    file = tmp_path / "kernel.cu"
    file.write_text(CASES["a launcher"][0])
    before = file.read_text()
    done = kernelwright("init", file, *words, stdin=subprocess.DEVNULL)
    assert said in done.stderr
    assert done.returncode not in (0, 1)
    assert file.read_text() == before
    assert not (tmp_path / "kernel.py").exists()


def test_nothing_is_asked_without_a_terminal_and_nothing_is_replaced(
    kernelwright: Run, tmp_path: Path
) -> None:
    file = tmp_path / "kernel.cu"
    text = CASES["a launcher"][0]
    file.write_text(
        text + text.replace("void copy", "void other").replace("void k", "void k2").replace("k<<<", "k2<<<")
    )
    done = kernelwright("init", file, stdin=subprocess.DEVNULL)
    assert "has several entries; name one of copy, other" in done.stderr
    (tmp_path / "kernel.py").write_text("# mine\n")
    done = kernelwright("init", file, "other", stdin=subprocess.DEVNULL)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "kernel.py").read_text() == "# mine\n"
    assert "task=kernel_other_task.py entry=other" in file.read_text()
