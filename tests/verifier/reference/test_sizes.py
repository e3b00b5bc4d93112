"""Reduced sizes by the rules of docs/development/verification.md, Sizes."""

from typing import Any

import pytest

from kernelwright_verifier.reference.client import Reference, TaskError

pytestmark = pytest.mark.asyncio(loop_scope="session")

MODEL = """
    class Model(nn.Module):
        def forward(self, x):
            return x * 2
    """

# constants, shape of x; the sizes that "auto" gives
AUTO: dict[str, tuple[str, str, dict[str, Any]]] = {
    "a power of two": ("N = 1 << 24", "(N,)", {"N": 128}),
    "a ragged tail stays": ("N = 2**24 + 3", "(N,)", {"N": 131}),
    "what is at most T stays": ("B = 100; N = 16777216", "(B, N)", {"B": 100, "N": 128}),
    "an expression is evaluated first": ("N = 4096 * 4096 + 64", "(N,)", {"N": 192}),
    "equal constants stay equal": ("A = 40000\nB = 40000", "(A, B)", {"A": 192, "B": 192}),
    "several targets": ("A = B = 5000", "(A, B)", {"A": 136, "B": 136}),
    "several names": ("A, B = 5000, 7", "(A, B, 1000)", {"A": 136, "B": 7}),
    "an annotation": ("A: int = 100000000", "(A,)", {"A": 128}),
    "inside a tuple": ("shape = (4097, 4096)", "shape", {"shape": [129, 128]}),
    "inside a list": ("shape = [4097, 4096]", "shape", {"shape": [129, 128]}),
    "a tuple with a name in it": ("N = 9000\nshape = (N, 9001)", "shape", {"N": 168, "shape": [168, 169]}),
    "what is derived is no size of its own": ("N = 9000\nM = N * 2", "(N, M)", {"N": 168}),
    "floats and booleans are none": ("N = 1 << 24\neps = 300.0\nflag = True", "(N,)", {"N": 128}),
    "a negative dimension stays": ("N = 1 << 24\ndim = -1", "(N,)", {"N": 128, "dim": -1}),
    "groups keep some elements each": (
        "C = 1 << 24\nnum_groups = 1 << 16",
        "(C,)",
        {"C": 128, "num_groups": 16},
    ),
    "heads of few elements keep them": ("C = 1 << 24\nheads = 1 << 22", "(C,)", {"C": 128, "heads": 32}),
    "groups that are few stay": ("C = 1 << 24\ngroups = 8", "(C,)", {"C": 128, "groups": 8}),
    "small as it is": ("N = 300", "(N,)", {"N": 300}),
}


@pytest.mark.parametrize("case", AUTO)
async def test_auto(case: str, reference: Reference, make_task: Any) -> None:
    constants, shape, sizes = AUTO[case]
    lines = "\n    ".join(constants.split("\n"))
    task = make_task(f"{MODEL}\n    {lines}\n    def get_inputs(): return [torch.rand({shape})]\n")
    description = await reference.describe(task)
    assert description.sizes == sizes
    full = await reference.describe(task, "full")
    assert description.size == ("full" if full.sizes == sizes else "reduced")
    assert description.reduction == (128 if description.size == "reduced" else None)


TIED = """
    N = 1 << 20
    width = 256
    channels = 512
    class Model(nn.Module):
        def forward(self, x, scale):
            return torch.nn.functional.layer_norm(torch.cat([x, x], 1) * 2, (channels,)) + scale
    def get_inputs(): return [torch.rand(N, width), torch.rand(2 * width)]
    """


async def test_constants_that_hang_together_stay_where_the_others_are_reduced(
    reference: Reference, make_task: Any
) -> None:
    description = await reference.describe(make_task(TIED.replace("channels,", "512,")))
    assert description.sizes == {"N": 128, "width": 256, "channels": 128}
    assert (description.size, description.reduction) == ("reduced", None)


SIZED = """
    N = 4096
    D = 2 * N
    shape = (N, 3)
    class Model(nn.Module):
        def forward(self, x):
            return x.view(-1, 4) * 2
    def get_inputs(): return [torch.rand(N, 3)]
    """


@pytest.mark.parametrize(
    ("size", "sizes", "constants"),
    [
        ({"N": 8}, {"N": 8, "shape": [8, 3]}, {"N": 8, "D": 16, "shape": [8, 3]}),
        ({"D": 5}, {"N": 4096, "shape": [4096, 3], "D": 5}, {"N": 4096, "D": 5, "shape": [4096, 3]}),
        # A name inside a tuple follows its constant, whatever the tuple was said to be.
        ({"N": 4, "shape": [9, 7]}, {"N": 4, "shape": [4, 7]}, {"N": 4, "D": 8, "shape": [4, 7]}),
        ("full", {"N": 4096, "shape": [4096, 3]}, {"N": 4096, "D": 8192, "shape": [4096, 3]}),
    ],
)
async def test_explicit(size: Any, sizes: Any, constants: Any, reference: Reference, make_task: Any) -> None:
    description = await reference.describe(make_task(SIZED), size)
    assert description.sizes == sizes
    assert description.constants == constants
    again = await reference.describe(make_task(SIZED), description.sizes)
    assert again == description


@pytest.mark.parametrize(
    ("size", "message"),
    [
        (
            {"M": 3},
            "a size is given for 'M', which is no module constant of the task; its constants are N, shape",
        ),
        ({"N": [1, 2]}, "size N is one integer"),
        ({"shape": 3}, "size shape is a sequence of 2 values"),
        ({"N": 2.5}, "size N must be an integer, not 2.5"),
        ({"N": 5}, "does not work at N=5: Model.forward raised RuntimeError"),
    ],
)
async def test_sizes_refused(size: Any, message: str, reference: Reference, make_task: Any) -> None:
    with pytest.raises(TaskError) as caught:
        await reference.describe(make_task(SIZED), size)
    (found,) = caught.value.findings
    assert found.code == "SIZE_INVALID"
    assert message in found.message


async def test_small_wins_over_the_rule_and_a_sidecar_over_small(
    reference: Reference, make_task: Any
) -> None:
    text = SIZED.rstrip() + "\n    SMALL = {'N': 40}\n"
    assert (await reference.describe(make_task(text))).sizes["N"] == 40
    assert (await reference.describe(make_task(text, small={"N": 44}))).sizes["N"] == 44
    assert (await reference.describe(make_task(text), {"N": 48})).sizes["N"] == 48


async def test_a_smaller_t_where_the_first_does_not_build(reference: Reference, make_task: Any) -> None:
    task = make_task(
        """
        N = 1 << 26
        LIMIT = 100
        class Model(nn.Module):
            def forward(self, x):
                assert len(x) <= LIMIT or len(x) == 1 << 26
                return x + 1
        def get_inputs(): return [torch.rand(N)]
        """
    )
    description = await reference.describe(task)
    assert (description.sizes, description.reduction) == ({"N": 64, "LIMIT": 100}, 64)


async def test_a_smaller_t_where_the_reference_is_slow_or_large(reference: Reference, make_task: Any) -> None:
    cube = """
        N = 4096
        class Model(nn.Module):
            def forward(self, x):
                return x.sum(dim=0)
        def get_inputs(): return [torch.rand(N, N, N{})]
        """
    assert (await reference.describe(make_task(cube.format("")))).reduction == 128
    assert (await reference.describe(make_task(cube.format(", 9")))).reduction == 64


async def test_the_full_size_is_looked_at_without_allocating_it(reference: Reference, make_task: Any) -> None:
    task = make_task(
        """
        N = 1 << 24
        class Model(nn.Module):
            def __init__(self, n):
                super().__init__()
                self.linear = nn.Linear(n, n)
            def forward(self, x):
                return self.linear(x)
        def get_inputs(): return [torch.rand(7, N)]
        def get_init_inputs(): return [N]
        """
    )
    full = await reference.describe(task, "full")
    assert full.parameters[0].shape == (1 << 24, 1 << 24)
    assert full.outputs[0].shape == (7, 1 << 24)
    assert [operator.name for operator in full.trace.operators] == ["t", "addmm"]
