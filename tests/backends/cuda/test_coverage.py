"""`benchmarks/coverage.py` over a folder: a row a file whatever happens to it, and the figures."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

SCRIPT = Path(__file__).resolve().parents[3] / "benchmarks" / "coverage.py"
KERNEL = "__global__ void k(float* x, int n) { int i = threadIdx.x; if (i < n) x[i] *= 2; }\n"
FILES = {
    "prints.cu": "#include <cstdio>\n#include <cstdlib>\n" + KERNEL
    + 'int main(int argc, char** argv) { printf("%d PASS\\n", atoi(argv[1]) * 2); return 3; }\n',
    "silent.cu": KERNEL + 'int main() { return 7; }\n',
    "races.cu": "__global__ void k(int* x) { __shared__ int s; s = threadIdx.x; x[0] = s; }\n"
    "int main() { int* x; cudaMalloc(&x, 4); k<<<1, 64>>>(x); cudaFree(x); return 0; }\n",
    "endless.cu": "int main() { for (volatile int i = 0;; ++i) {} }\n",
    "wrong.cu": "__global__ void k(float* x) { x[0] = ; }\n",
    "part.cu": "__device__ float part(float x) { return x * FACTOR; }\n",
    "whole.cu": '#define FACTOR 2\n#include "part.cu"\n__global__ void k(float* x) { x[0] = part(x[0]); }\n',
    "texture.cu": "__global__ void k(cudaTextureObject_t t, float* x) { x[0] = tex1Dfetch<float>(t, 0); }\n",
    "foreign.cu": "#include <mpi.h>\nint main() { return 0; }\n",
    "golden.cu": KERNEL + "void twice(const float* x, float* out, int n) {\n"
    "  cudaMemcpy(out, x, n * sizeof(float), cudaMemcpyDeviceToDevice);\n  k<<<1, 64>>>(out, n);\n}\n",
    "made/words.cu": "#include <cstdlib>\nint main(int argc, char** argv) { return argc == 3 && atoi(argv[2]) == VALUE ? 0 : 1; }\n",
    "package/csrc/needs.cu": "__global__ void k(float* x) { x[0] = SCALE * sizeof(KIND); }\n",
    "latin.cu": None,
}  # fmt: skip
MAKEFILE = """\
# a comment with -DVALUE=1
CHECK = no
SIZE = 12
CFLAGS := $(EXTRA) -std=c++17 -O3
ifeq ($(CHECK), yes)
  CFLAGS += -DVALUE=2
else
  CFLAGS += -DVALUE=$(SIZE)
endif
words: words.cu
\tnvcc $(CFLAGS) $< -o $@
run: words
\t$(LAUNCHER) ./words fast $(SIZE) | tee out
"""
SETUP = """\
from setuptools import setup
options = {"nvcc": ["-O3", "-DSCALE=3", "-U__CUDA_NO_HALF_OPERATORS__", f"-DNAME={__name__}"]}
setup(ext_modules=[Extension(sources=[], define_macros=[("KIND", "float"), ("VERSION", version)], extra_compile_args=options)])
"""
CORPUS = [
    {
        "file": "prints.cu",
        "program": True,
        "args": ["21"],
        "expect": {"text": "42 PASS", "exit": 3, "absent": "FAIL"},
    },
    {"file": "golden.cu", "golden": "golden.npz", "entry": "twice", "args": "x, out, n"},
    {"file": "endless.cu", "time_s": 2},
]


@pytest.fixture(scope="module")
def rows(tmp_path_factory) -> dict[str, dict]:
    folder = tmp_path_factory.mktemp("corpus")
    (folder / "made").mkdir()
    (folder / "made" / "Makefile").write_text(MAKEFILE, encoding="utf-8")
    (folder / "package" / "csrc").mkdir(parents=True)
    (folder / "package" / ".git").mkdir()
    (folder / "package" / "setup.py").write_text(SETUP, encoding="utf-8")
    for name, text in FILES.items():
        (folder / name).write_bytes(
            text.encode() if text is not None else b"// \xe9t\xe9\n__global__ void k() {}\n"
        )
    x = np.arange(40, dtype=np.float32)
    np.savez(folder / "golden.npz", x=x, n=np.int64(40), out=2 * x)
    (folder / "bytes.cu").write_bytes(b"\0\xff\xfe")
    (folder / "corpus.jsonl").write_text(
        "".join(json.dumps(entry) + "\n" for entry in CORPUS), encoding="utf-8"
    )
    done = subprocess.run(
        [sys.executable, SCRIPT, folder, "--output", "", "--jobs", "1", "--time-s", "20", "--target", "cuda:sm_90@cpu"],
        capture_output=True, text=True, check=False, timeout=600,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    figures = json.loads(done.stderr[done.stderr.index("\n{") :])
    found = {row["file"]: row for row in map(json.loads, done.stdout.splitlines())}
    assert figures["files"] == len(found) == len(FILES) + 1 and figures["faults_of_kernelwright"] == 0
    assert (figures["files_outside_scope"], figures["files_with_foreign_needs"]) == (1, 1)
    return found


@pytest.mark.parametrize(
    "file, compiled, ran, correct, cause",
    [
        ("prints.cu", True, True, True, None),
        ("silent.cu", True, True, None, "ended with status 7"),
        ("races.cu", True, True, False, "RACE_SHARED"),
        ("endless.cu", True, False, None, "LAUNCH_TIME"),
        ("wrong.cu", False, None, None, "COMPILE_ERROR"),
        ("whole.cu", True, None, None, None),
        ("part.cu", True, None, None, None),
        ("texture.cu", False, None, None, "textures"),
        ("foreign.cu", False, None, None, "mpi.h"),
        ("golden.cu", True, True, True, None),
        ("made/words.cu", True, True, True, None),
        ("package/csrc/needs.cu", True, None, None, None),
        ("latin.cu", True, None, None, None),  # older sources are not UTF-8
        ("bytes.cu", None, None, None, "cannot be read"),
    ],
)
def test_row(file, compiled, ran, correct, cause, rows):
    row = rows[file]
    assert (row["compiled"], row["ran"], row["correct"]) == (compiled, ran, correct), row
    assert (row["cause"] is None) if cause is None else cause in row["cause"]


def test_rows_say_more(rows):
    assert rows["part.cu"]["part_of"] == "whole.cu"
    assert rows["texture.cu"]["scope"] == "outside" and rows["foreign.cu"]["scope"] == "foreign"
    assert rows["races.cu"]["spotted"] is True and rows["foreign.cu"]["spotted"] is None
    assert [(f["code"], f["line"]) for f in rows["races.cu"]["findings"]] == [
        ("RACE_SHARED", 1),
        ("RACE_GLOBAL", 1),
    ]
    assert all(row["elapsed_s"] >= 0 for row in rows.values())


def test_compile_only_runs_nothing(tmp_path):
    for name in ("races.cu", "wrong.cu", "texture.cu", "whole.cu", "part.cu"):
        (tmp_path / name).write_text(FILES[name], encoding="utf-8")
    done = subprocess.run(
        [sys.executable, SCRIPT, tmp_path, "--compile-only", "--output", "", "--jobs", "1", "--target", "cuda:sm_90@cpu"],
        capture_output=True, text=True, check=False, timeout=600,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    figures = json.loads(done.stderr[done.stderr.index("\n{") :])
    found = {row["file"]: row for row in map(json.loads, done.stdout.splitlines())}
    assert {name: (row["compiled"], row["ran"], row["correct"]) for name, row in found.items()} == {
        "races.cu": (True, None, None),
        "wrong.cu": (False, None, None),
        "texture.cu": (False, None, None),
        "whole.cu": (True, None, None),
        "part.cu": (True, None, None),
    }
    assert "COMPILE_ERROR" in found["wrong.cu"]["cause"] and found["texture.cu"]["scope"] == "outside"
    assert found["races.cu"]["kind"] == "program" and not found["races.cu"]["findings"]
    assert (figures["compiled_in_scope_share"], figures["runnable_files"]) == (0.75, 0)
