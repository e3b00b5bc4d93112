"""Level `own`: of a person's own file only what the entry reaches, and only in branches that are taken."""

from pathlib import Path

import pytest

from kernelwright_backends.core.registry import index_of
from kernelwright_verifier.gates.hack import look_at_text
from kernelwright_verifier.gates.hack.branches import lines_left_out
from kernelwright_verifier.project.config import Configuration, HackSettings
from kernelwright_verifier.task.plan import make_plans
from kernelwright_verifier.task.task import Candidate, Task

HEAD = '// kernelwright: entry=twice args="x, y, x.numel()"\n'
KERNEL = """
__global__ void k(const float* x, float* y, int n) { int i = threadIdx.x; if (i < n) y[i] = 2 * x[i]; }
void twice(const float* x, float* y, int n) { REACHED; k<<<1, 256>>>(x, y, n); }
"""
TASK = "class Model: ...\ndef get_inputs(): ...\n"


def codes(text: str, level: str) -> list[str]:
    path = Path("/nowhere/twice.cu")
    candidate = Candidate(path=path, text=text, name="twice.cu")
    configuration = Configuration(hack=HackSettings.model_validate({"level": level}))
    task = Task(path=path.with_suffix(".py"), text=TASK, found_by="argument")
    (plan,) = make_plans(candidate, index_of("cuda", text), configuration, task=task)
    return [f.code for f in look_at_text(plan)]


def in_entry(statement: str) -> str:
    return HEAD + KERNEL.replace("REACHED", statement)


def in_another(statement: str) -> str:
    return HEAD + KERNEL.replace("REACHED; ", "") + f"void other() {{ {statement}; }}\n"


# Of each kind of words that the text moment looks for: what stands in a function, and where it stands.
WORDS = {
    "the host's clock": "auto t = __rdtsc()",
    "a word of the sanitiser": "int a = sizeof(__SANITIZE_THREAD__)",
    "the stack": "void* f = __builtin_frame_address(0)",
    "an address of the CPU target": "long a = 0x120000000000",
    "the name of the file": "char c = __FILE__[3]",
    "our runtime": "kw::launches()",
}


@pytest.mark.parametrize("statement", WORDS.values(), ids=WORDS)
def test_what_the_entry_does_not_reach_is_the_persons_own_business(statement: str) -> None:
    assert codes(in_entry(statement), "own") == codes(in_entry(statement), "strict") != []
    assert codes(in_another(statement), "own") == []
    assert codes(in_another(statement), "strict") != []


def test_a_library_counts_where_the_entry_uses_it() -> None:
    include = "#include <thrust/sort.h>\n"
    assert codes(include + in_entry("thrust::sort(y, y + n)"), "own") == ["HACK_LIBRARY"]
    assert codes(include + in_another("thrust::sort(p, p + 1)"), "own") == []
    assert codes(include + in_another("thrust::sort(p, p + 1)"), "strict") == ["HACK_LIBRARY"]


@pytest.mark.parametrize(
    "condition",
    [
        "ifdef __HIP_PLATFORM_AMD__",
        "if defined(GGML_USE_HIP) || defined(GGML_USE_MUSA)",
        "ifndef __CUDACC__",
        "if 0",
    ],
)
def test_branches_for_other_compilers_are_not_compiled(condition: str) -> None:
    text = in_entry("").replace("void twice", f"#{condition}\n#define __global__ static\n#endif\nvoid twice")
    assert codes(text, "own") == []
    taken = text.replace(condition, "if 1")
    assert codes(taken, "own") == ["HACK_EVASION"]


@pytest.mark.parametrize(
    ("text", "left_out"),
    [
        ("#if 0\na\n#elif 1\nb\n#else\nc\n#endif\nd\n", "ac"),
        ("#ifdef __CUDA_ARCH__\na\n#else\nb\n#endif\n", ""),  # both, for the device and for the host
        ("#if __CUDA_ARCH__ >= 800 && 0\na\n#endif\n", "a"),
        ("#define N 4\n#if N > 3 && !defined(X)\na\n#else\nb\n#endif\n", "b"),
        ("#if 0\na\n#if 1\nb\n#endif\nc\n#endif\nd\n", "abc"),
        ("#define A\n#undef A\n#ifdef A\na\n#else\nb\n#endif\n", "a"),
        ("#if SOMETHING(3)\na\n#endif\n", ""),  # cannot be told
        ("#if defined USE_ROCM\na\n#elif __cplusplus >= 201703L\nb\n#else\nc\n#endif\n", "a"),
        ("#if GIVEN == 2\na\n#else\nb\n#endif\n", "b"),
        ("#if (1\na\n#endif\n#endif\n#else\nb\n", ""),
    ],
)
def test_lines_left_out(text: str, left_out: str) -> None:
    lines = text.splitlines()
    found = [lines[number - 1] for number in sorted(lines_left_out(text, {"GIVEN": 2}))]
    assert "".join(line for line in found if not line.startswith("#")) == left_out
