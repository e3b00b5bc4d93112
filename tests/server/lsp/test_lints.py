"""Performance lints and the parts of an estimate, as an editor shows them."""

from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types

# A thread a stretch: neighbouring threads are a stretch apart.
STRETCHES = """// kernelwright: task=relu.py entry=relu
__global__ void relu_kernel(const float* x, float* y, int n, int each) {
    int first = (blockIdx.x * blockDim.x + threadIdx.x) * each;
    for (int i = first; i < n && i < first + each; ++i) {
        float v = x[i];
        y[i] = fmaxf(v, 0.0f);
    }
}

void relu(const float* x, float* y, int n) {
    int threads = 264 * 1024, each = (n + threads - 1) / threads;
    relu_kernel<<<264, 1024>>>(x, y, n, each);
}
"""


async def test_a_lint_is_a_hint_at_its_line_and_the_hover_shows_the_parts(start: Any, relu: Path) -> None:
    editor = await start()
    uri = await editor.open(relu / "relu_naive.cu", STRETCHES)
    editor.save(uri)
    await editor.until(lambda: editor.ended() == 1)
    lints = [d for d in editor.diagnostics(uri) if d.code == "PERF_UNCOALESCED"]
    assert {d.range.start.line for d in lints} <= {4, 5} and lints
    assert {d.severity for d in lints} == {types.DiagnosticSeverity.Hint}
    assert all("estimated gain" in d.message for d in lints)
    hover = await editor.hover(uri, 9, 5)
    assert "bound by" in hover and "each part alone" in hover and "DRAM" in hover
    assert "PERF_UNCOALESCED" in hover


@pytest.mark.slow
async def test_a_lint_below_the_least_gain_is_not_shown(start: Any, relu: Path) -> None:
    (relu / "kernelwright.toml").write_text("[findings]\nmin_gain = 0.99\n")
    editor = await start()
    uri = await editor.open(relu / "relu_naive.cu", STRETCHES)
    editor.save(uri)
    await editor.until(lambda: editor.ended() == 1)
    assert editor.diagnostics(uri) == []
