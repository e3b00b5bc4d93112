"""The server while it verifies what does not want to end: it answers meanwhile, and says afterwards what it was."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

ENDLESS = """// kernelwright: task=relu.py entry=relu args="x, out, x.numel()"
__global__ void relu_kernel(const float* x, float* out, int n) {{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = x[i] > 0 ? x[i] : 0;
  {body}
}}

void relu(const float* x, float* out, int n) {{
  relu_kernel<<<(n + 255) / 256, 256>>>(x, out, n);
}}
"""


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ("while (i >= 0) __threadfence();", "LAUNCH_TIME"),
        ('for (int k = 0; k < 1 << 20; ++k) printf("flood %d\\n", k);', "LAUNCH_OUTPUT"),
    ],
    ids=["endless kernel", "flood of the device"],
)
async def test_it_answers_while_a_candidate_does_not_end(
    start: Any, relu: Path, body: str, code: str
) -> None:
    (relu / "kernelwright.toml").write_text("[limits]\ntime_s = 3\n")
    path = relu / "endless.cu"
    path.write_text("#include <cstdio>\n" + ENDLESS.format(body=body))
    editor = await start()
    uri = await editor.open(path)
    editor.save(uri)
    await editor.until(lambda: editor.progress)
    answered = 0
    while not any(d.code == code for p in editor.published for d in p.diagnostics):
        assert await editor.hover(uri, 2, 20) is not None
        answered += 1
        await asyncio.sleep(0.05)
    assert answered
