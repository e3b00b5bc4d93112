"""How often, and with which width, the compiler's instrumentation sees an access through our headers."""

import re
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import pytest

TRACED = (
    "-fsanitize=thread", "--param", "tsan-distinguish-volatile=1", "--param", "tsan-instrument-func-entry-exit=0",
    "-fno-tree-sra", "-fno-optimize-sibling-calls", "-w", "-S", "-o", "-",
)  # fmt: skip

# (body of a function of `x`, `y` and `i`, the hooks that it calls, in order)
BODIES = [
    ("float4 v = ((const float4*)x)[i]; v.x *= 2; ((float4*)y)[i] = v;", "read16 write16"),
    (
        "float4 v = __ldg((const float4*)x + i); ((float4*)y)[i] = make_float4(v.w, v.z, v.y, v.x);",
        "read16 write16",
    ),
    ("float2 v = ((const float2*)x)[i]; ((float2*)y)[i] = make_float2(v.y, v.x);", "read8 write8"),
    ("((float4*)y)[i].w = 1.0f;", "write4"),
    ("__half v = ((const __half*)x)[i]; ((__half*)y)[i] = v * v;", "read2 write2"),
    ("__half2 v = ((const __half2*)x)[i]; ((__half2*)y)[i] = __hfma2(v, v, v);", "read4 write4"),
    ("__nv_bfloat162 v = ((const __nv_bfloat162*)x)[i]; ((float*)y)[i] = __low2float(v);", "read4 write4"),
    ("__stcs((int*)y + i, __ldcg((const int*)x + i));", "read4 write4"),
    ("sincosf(1.0f, (float*)y, (float*)y + 1);", "write4 write4"),
    ("((float*)y)[i] = fmaxf(((const float*)x)[i], 0.0f) + __expf(1.0f) + rsqrtf(2.0f);", "read4 write4"),
    (
        "((c10::Half*)y)[i] = static_cast<c10::Half>(static_cast<float>(((const c10::Half*)x)[i]));",
        "read2 write2",
    ),
]


@pytest.mark.parametrize(("body", "hooks"), BODIES)
def test_one_access_is_one_hook(
    compile_: Callable[..., CompletedProcess[str]], tmp_path: Path, body: str, hooks: str
) -> None:
    source = tmp_path / "kernel.cpp"
    source.write_text(
        "#include <cuda_runtime.h>\n#include <torch/extension.h>\n"
        f'extern "C" void kernel(const void* x, void* y, int i) {{ {body} }}\n'
    )
    answer = compile_("c++17", *TRACED, str(source))
    assert answer.returncode == 0, answer.stderr
    text = answer.stdout.split("\nkernel:", 1)[1].split(".size\tkernel", 1)[0]
    assert re.findall(r"call\s+__tsan_(\w+)", text) == hooks.split()
