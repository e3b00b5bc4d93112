"""Which part of memory something lies in is asked of an address, not of a number."""

from pathlib import Path

import pytest

from kernelwright_verifier.gates.hack import look_at_text
from kernelwright_verifier.task import Candidate
from kernelwright_verifier.verifier import Verifier

KERNEL = """// kernelwright: task=../tasks/relu.py entry=k args="x, out, x.numel()" grid="1" block="32"
__global__ void k(const float* x, float* out, int n) {{
  long long keys[2] = {{n, 0}};
  const long long* of = keys;
  {statement}
}}
"""


@pytest.mark.parametrize(
    ("statement", "accused"),
    [
        ("out[0] = (size_t)&keys[n & 1] >> 44;", True),
        ("size_t p = (size_t)&keys[n & 1]; out[0] = (p >> 44) == 7;", True),
        ("out[0] = reinterpret_cast<size_t>(&keys[1]) >> 40;", True),
        ("out[0] = (size_t)x >> 40;", True),
        ("out[0] = (size_t)keys[n & 1] >> 44;", False),
        ("out[0] = (size_t)x[n] >> 40;", False),
        ("size_t p = (size_t)of[0]; out[0] = p >> 32;", False),
        ("out[0] = ((size_t)&keys[1] & 15) == 0;", False),
    ],
)
def test_upper_bits(statement: str, accused: bool) -> None:
    path = Path(__file__).parent / "hacked" / "upper_bits.cu"
    candidate = Candidate(path=path, name=path.name, text=KERNEL.format(statement=statement))
    (plan,) = Verifier().plan(candidate)
    assert [f.code for f in look_at_text(plan)] == ["HACK_DETECTION"] * accused
