"""What is wrong with a task comes back as one located finding."""

import asyncio
from typing import Any

import pytest

from kernelwright_verifier.reference.client import Reference, TaskError
from kernelwright_verifier.sandbox import Sandbox

pytestmark = pytest.mark.asyncio(loop_scope="session")

RELU = """
    class Model(nn.Module):
        def forward(self, x):
            return torch.relu(x)
    def get_inputs(): return [torch.rand(5)]
    """

# text after the import line; code, line, column, part of the message
WRONG: dict[str, tuple[str, str, int, int, str]] = {
    "syntax": ("class Model(:\n    pass\n", "TASK_INVALID", 2, 13, "is not valid Python"),
    "no model": ("def get_inputs(): return []\n", "TASK_INVALID", 1, 1, "no class Model"),
    "no inputs": ("class Model(nn.Module): pass\n", "TASK_INVALID", 1, 1, "no function get_inputs"),
    "an import": ("import absent_module\n" + "class Model: pass\ndef get_inputs(): pass\n",
                  "TASK_INVALID", 2, 1, "install it in the reference's interpreter"),
    "no module": ("class Model: pass\ndef get_inputs(): return []\n", "TASK_INVALID", 1, 1, "not a torch.nn.Module"),
    "inputs raise": ("class Model(nn.Module): pass\ndef get_inputs():\n    é = 1; return [torch.rnd(3)]\n",
                     "TASK_INVALID", 4, 20, "get_inputs() raised AttributeError"),
    "inputs are no list": ("class Model(nn.Module):\n    def forward(self, x): return x\ndef get_inputs(): return 3\n",
                           "TASK_INVALID", 1, 1, "must return a list"),
    "too many inputs": ("class Model(nn.Module):\n    def forward(self, x): return x\n"
                        "def get_inputs(): return [torch.rand(1)] * 2\n",
                        "TASK_INVALID", 3, 1, "returns 2 values, but Model.forward takes 1"),
    "forward raises": ("class Model(nn.Module):\n    def forward(self, x):\n        return x @ x\n"
                       "def get_inputs(): return [torch.rand(2, 3)]\n",
                       "TASK_INVALID", 4, 16, "Model.forward raised RuntimeError"),
    "no tensor": ("class Model(nn.Module):\n    def forward(self, x): return 'x'\ndef get_inputs(): return [torch.rand(1)]\n",
                  "TASK_INVALID", 3, 1, "must return tensors"),
    "complex": ("class Model(nn.Module):\n    def forward(self, x): return x * 1j\ndef get_inputs(): return [torch.rand(1)]\n",
                "TASK_INVALID", 3, 1, "use torch.view_as_real(...)"),
    "a sparse input": ("class Model(nn.Module):\n    def forward(self, x): return x.to_dense()\n"
                       "def get_inputs(): return [torch.eye(3).to_sparse()]\n",
                       "TASK_INVALID", 1, 1, "x is sparse"),
    "exits": ("import sys\nsys.exit(3)\nclass Model: pass\ndef get_inputs(): pass\n", "TASK_INVALID", 3, 1, "SystemExit"),
    "kills itself": ("import os\nos._exit(0)\nclass Model: pass\ndef get_inputs(): pass\n",
                     "TASK_INVALID", 1, 1, "the task's process ended"),
    "a solution": ("from torch.utils.cpp_extension import load_inline\nops = load_inline(name='a', cpp_sources='')\n"
                   "class ModelNew(nn.Module): pass\n", "TASK_SOLUTION", 3, 7, "Move its CUDA source into a .cu file"),
    "a solution's class": ("class ModelNew(nn.Module): pass\n", "TASK_SOLUTION", 2, 1, "name the reference file"),
    "a table that is no tensor": ("requires = {'x': 'given(y)'}\nclass Model(nn.Module):\n    def forward(self, x): return x\n"
                                  "def get_inputs(): return [torch.rand(1)]\n", "TASK_INVALID", 1, 1, "the task's tensors are x"),
    "a table of two": ("requires = {'x': 'given(x, 0)'}\nclass Model(nn.Module):\n    def forward(self, x): return x\n"
                       "def get_inputs(): return [torch.rand(1)]\n", "TASK_INVALID", 1, 1, "takes one tensor"),
    "an unreadable precondition": ("requires = {'x': 'x <'}\nclass Model(nn.Module):\n    def forward(self, x): return x\n"
                                   "def get_inputs(): return [torch.rand(1)]\n", "TASK_INVALID", 1, 1, "requires['x']"),
    "a precondition of nothing": ("requires = {'x': 'x > 0',\n            'index': 'index >= 0'}\nclass Model(nn.Module):\n"
                                  "    def forward(self, x, k): return x * k\ndef get_inputs(): return [torch.rand(1), 2]\n",
                                  "TASK_INVALID", 3, 13, "requires['index'] names no input of the task; the inputs are x, k"),
}  # fmt: skip


@pytest.mark.parametrize("case", WRONG)
async def test_a_wrong_task(case: str, reference: Reference, make_task: Any) -> None:
    text, code, line, column, message = WRONG[case]
    with pytest.raises(TaskError) as caught:
        await reference.describe(make_task(text, name="wrong.py"))
    (found,) = caught.value.findings
    assert (found.code, found.line, found.column) == (code, line, column)
    assert message in found.message and "\n" not in found.message
    assert found.path == "/somewhere/wrong.py"


NOISE = """
    import os
    print("x" * 10_000_000, flush=True)
    os.system("echo garbage >&2")
    try: os.write(3, b"garbage")
    except OSError: pass
    """


async def test_what_a_task_prints_disturbs_nothing(reference: Reference, make_task: Any) -> None:
    quiet, noisy = make_task(RELU), make_task(NOISE.rstrip() + RELU)
    assert await reference.describe(noisy) == await reference.describe(quiet)


async def test_a_task_that_writes_into_every_descriptor_spoils_only_itself(
    reference: Reference, make_task: Any
) -> None:
    vandal = """
    import os
    for descriptor in range(3, 64):
        try: os.write(descriptor, b"garbage\\n")
        except OSError: pass
    """
    with pytest.raises(TaskError, match="interfered with the process"):
        await reference.describe(make_task(vandal.rstrip() + RELU))
    assert (await reference.describe(make_task(RELU), "full")).sizes == {}


async def test_a_task_that_hangs_or_takes_all_memory(
    confinement: Sandbox, tmp_path: Any, make_task: Any
) -> None:
    from kernelwright_backends.interfaces.confinement import Limits

    hangs = make_task("while True: pass\nclass Model: pass\ndef get_inputs(): pass\n")
    greedy = make_task(
        """
        class Model(nn.Module):
            def forward(self, x): return x[: int(torch.ones(1 << 34).sum().item())]
        def get_inputs(): return [torch.rand(5)]
        """
    )
    limits = Limits(time_s=2.0, memory_mb=512)
    async with Reference(None, confinement, cache=tmp_path, limits=limits, jobs=3) as reference:
        results = await asyncio.gather(
            *(reference.describe(task) for task in (hangs, greedy, make_task(RELU))), return_exceptions=True
        )
    codes = [r.findings[0].code if isinstance(r, TaskError) else None for r in results]
    assert codes == ["SIZE_TOO_LARGE", "SIZE_TOO_LARGE", None]
    assert "did not finish within 2 s" in str(results[0])
    assert "more memory than the limit" in str(results[1])
