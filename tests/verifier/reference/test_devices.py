"""Tasks that name a device: their tensors are made on the CPU, and the values are those of the task without it."""

import pytest

_PLAIN = """
class Model(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.linear = nn.Linear(n, n{factory})
        self.register_buffer("scale", torch.ones(n{factory}))
    def forward(self, x):
        return self.linear(x) * self.scale + torch.arange(8{factory})
def get_inputs():
    {before}
    return [{made}]
def get_init_inputs():
    return [8]
"""


@pytest.mark.asyncio(loop_scope="session")
@pytest.mark.parametrize(
    ("factory", "before", "made"),
    [
        (', device="cuda"', "pass", 'torch.randn(4, 8, device="cuda")'),
        ("", "pass", "torch.randn(4, 8).cuda()"),
        ("", "pass", 'torch.randn(4, 8).to("cuda:0")'),
        ("", "pass", 'torch.randn(4, 8).to(device=torch.device("cuda"), dtype=torch.float32)'),
        (', device=torch.device("cuda", 0)', "device = 'cuda' if not torch.cuda.is_available() else 'cpu'", "torch.randn(4, 8, device=device)"),
        ("", "torch.set_default_device('cuda')", "torch.randn(4, 8)"),
        ("", "import torch_npu", "torch.randn(4, 8).npu()"),
        ("", "import torch_npu; from torch_npu.contrib import transfer_to_npu", "torch.randn(4, 8).npu()"),
        ("", "import torch_npu.contrib.transfer_to_npu as moved", "torch.randn(4, 8).cuda()"),
        (', device="npu:0"', "import torch_npu", 'torch.randn(4, 8, device="npu")'),
    ],
)  # fmt: skip
async def test_the_device_of_a_task_is_the_cpu_where_it_is_judged(
    reference, make_task, factory: str, before: str, made: str
) -> None:
    task = make_task(_PLAIN.format(factory=factory, before=before, made=made))
    description = await reference.describe(task)
    assert [argument.tensor.shape for argument in description.forward] == [(4, 8)]
    trial = await reference.trial(task, description, seed=7, family="given")
    plain = make_task(_PLAIN.format(factory="", before="pass", made="torch.randn(4, 8)"))
    same = await reference.trial(plain, await reference.describe(plain), seed=7, family="given")
    assert trial.mapping.read_bytes() == same.mapping.read_bytes()


@pytest.mark.asyncio(loop_scope="session")
async def test_what_only_a_device_knows_is_not_answered(reference, make_task) -> None:
    task = make_task(
        """
        class Model(nn.Module):
            def forward(self, x):
                return x * torch.cuda.get_device_properties(0).multi_processor_count
        def get_inputs():
            return [torch.randn(8)]
        """
    )
    with pytest.raises(Exception, match="answers nothing that only a device knows"):
        await reference.describe(task)


@pytest.mark.asyncio(loop_scope="session")
@pytest.mark.parametrize("named", ["torch.backends.cuda.matmul.allow_tf32 = False", "import torch_npu"])
async def test_a_task_that_names_a_device_is_described_at_several_sizes(
    reference, make_task, named: str
) -> None:
    task = make_task(
        f"""
        {named}
        N = 5000
        class Model(nn.Module):
            def forward(self, x):
                return x + 1
        def get_inputs():
            return [torch.randn(N)]
        """
    )
    extents = [(await reference.describe(task, size)).forward[0].tensor.shape for size in ({"N": 7}, "full")]
    assert extents == [(7,), (5000,)]
