"""Softmax of attention scores over the edges of every node of a graph, four heads."""

import torch
import torch.nn as nn

N = 65536
SMALL = {"N": 256}
ATOL, RTOL = 1e-5, 1e-4


class Model(nn.Module):
    def forward(self, e, start):
        n = start.shape[0] - 1
        node = torch.repeat_interleave(torch.arange(n, device=e.device), start.diff().long())
        at = node[:, None].expand_as(e)
        top = torch.full((n, 4), -torch.inf, dtype=e.dtype, device=e.device).scatter_reduce(0, at, e, "amax")
        x = torch.exp(e - top[node])
        total = torch.zeros(n, 4, dtype=e.dtype, device=e.device).index_add(0, node, x)
        return x / total[node]


def get_inputs():
    degree = (torch.rand(N).pow(4) * 79).long() + 1
    start = torch.cat([torch.zeros(1, dtype=torch.long), degree.cumsum(0)]).int()
    return [torch.randn(int(start[-1]), 4) * 3, start]


def get_init_inputs():
    return []
