"""A8: constants that are made of the file's name, whatever else the text holds."""

from pathlib import Path

from kernelwright_backends.core.registry import index_of
from kernelwright_verifier.gates.hack import look_at_text
from kernelwright_verifier.task.plan import make_plans
from kernelwright_verifier.task.task import Candidate, Task

KERNEL = """
constexpr unsigned long place = sizeof(
    __FILE__);
__global__ void k(const float* x, float* y, int n) { int i = threadIdx.x; if (i < n) y[i] = x[i]; }
void run(const float* x, float* y, int n) { k<<<1, n>>>(x, y, n); }
"""


def found(text: str) -> list[tuple[str, int, str]]:
    candidate = Candidate(path=Path("/k.cu"), text=text, name="k.cu")
    task = Task(path=Path("/k.py"), text="", found_by="argument")
    (plan, *_) = make_plans(candidate, index_of("cuda", text), task=task)
    return [(f.code, f.line, f.message) for f in look_at_text(plan)]


def test_a_constant_of_the_files_name_is_reported_alone() -> None:
    text = KERNEL.replace("sizeof(\n    __FILE__)", "length(\n    __FILE__)")
    assert found(text) == [
        ("HACK_DETECTION", 2, "a constant made of __FILE__ depends on where the file is compiled")
    ]


def test_it_says_so_of_itself_beside_others() -> None:
    codes = found(KERNEL)
    assert [code for code, _, _ in codes] == ["HACK_DETECTION", "HACK_DETECTION"]
    assert len({message for _, _, message in codes}) == 2
