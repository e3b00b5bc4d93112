"""A solution in the format of KernelBench, given where the task belongs."""

import torch
from torch.utils.cpp_extension import load_inline

extension = load_inline(  # expect: TASK_SOLUTION
    name="doubled", cpp_sources="", cuda_sources="", functions=["doubled"]
)


class ModelNew(torch.nn.Module):
    def forward(self, x):
        return extension.doubled(x)


def get_inputs():
    return [torch.rand(1000)]


def get_init_inputs():
    return []
