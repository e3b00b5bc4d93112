"""What a candidate may change: its entry's region, and nothing else of the user's."""

import pytest

from kernelwright_backends.core.registry import index_of
from kernelwright_verifier.candidate.region import outside_region_changed, region_spans

FILE = """#include <cuda_runtime.h>
// A file of two entries.
static int counter = 0;

__device__ float shared_by_both(float v) { return v; }

// Doubles.
__device__ float own(float v) { return 2.0f * v; }

/* The kernel
   of f. */
__global__ void k(const float* x, float* y, int n) { y[0] = own(shared_by_both(x[0])); }

// kernelwright: task=t.py entry=f
void f(const float* x, float* y, int n) { k<<<1, 1>>>(x, y, n); }

__global__ void l(const float* x, float* y, int n) { y[0] = shared_by_both(x[0]); }
// kernelwright: task=t.py entry=g
void g(const float* x, float* y, int n) { l<<<1, 1>>>(x, y, n); }
"""


def changed(new: str, entry: str = "f") -> str | None:
    old_index, new_index = index_of("cuda", FILE), index_of("cuda", new)
    return outside_region_changed(FILE.encode(), old_index, new.encode(), new_index, entry)


def test_region_is_directive_host_function_and_what_only_they_reach() -> None:
    data = FILE.encode()
    texts = [data[start:end].decode() for start, end in region_spans(data, index_of("cuda", FILE), "f")]
    assert [text.split("(")[0].split("\n")[-1].strip() for text in texts] == [
        "__device__ float own",
        "__global__ void k",
        "// kernelwright: task=t.py entry=f",
        "void f",
    ]
    assert texts[0].startswith("// Doubles.")
    assert texts[1].startswith("/* The kernel")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("y[0] = own(shared_by_both(x[0]));", "y[0] = x[0];"),
        ("k<<<1, 1>>>(x, y, n);", "k<<<n, 256>>>(x, y, n);"),
        ("void f(", "// Written anew.\n__global__ void k2(float* y) { y[0] = 1.0f; }\n\nvoid f("),
        ("k<<<1, 1>>>(x, y, n); }", "k2<<<1, 1>>>(y); }\n"),
        ("#include <cuda_runtime.h>\n", "#include <cuda_runtime.h>\n#include <cuda_fp16.h>\n"),
        ("// Doubles.\n", "// Doubles a value.\n"),
        ("entry=f\n", 'entry=f args="x, out, x.numel()"\n'),
    ],
)
def test_what_may_change(before: str, after: str) -> None:
    new = FILE.replace(before, after, 1)
    if "k2(float" in after:
        new = new.replace("k<<<1, 1>>>(x, y, n); }", "k2<<<1, 1>>>(y); }")
    if "k2<<<" in after:
        new = new.replace("void f(", "__global__ void k2(float* y) { y[0] = 1.0f; }\nvoid f(")
    assert changed(new) is None


@pytest.mark.parametrize(
    ("before", "after", "words"),
    [
        ("static int counter = 0;", "static int counter = 1;", "counter = 1"),
        ("return v; }", "return -v; }", "return -v"),
        ("#include <cuda_runtime.h>\n", "", "was removed"),
        ("y[0] = shared_by_both(x[0]); }", "y[0] = 0; }", "y[0] = 0"),
        ("entry=g", "entry=f2", "entry=f2"),
        ("// A file of two entries.", "// Mine.", "Mine"),
        ("static int counter", "#define N 4\nstatic int counter", "#define N 4"),
        ("task=t.py entry=f", "task=easier.py entry=f", "task="),
        ("task=t.py entry=f", 'task=t.py size="N=1" entry=f', "size="),
        ("task=t.py entry=f", 'task=t.py requires="x: x == 0" entry=f', "requires="),
        ("// kernelwright: task=t.py entry=f\n", "", "task="),
    ],
)
def test_what_may_not(before: str, after: str, words: str) -> None:
    message = changed(FILE.replace(before, after, 1))
    assert message is not None
    assert words in message
