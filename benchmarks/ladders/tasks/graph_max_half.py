"""Greatest features, of halves, among the 4 to 28 neighbours of every node of a graph, given by rows."""

import torch
import torch.nn as nn

N = 32768
SMALL = {"N": 512}
ATOL, RTOL = 0.0, 0.0


class Model(nn.Module):
    def forward(self, x, start, near):
        n = start.shape[0] - 1
        node = torch.repeat_interleave(torch.arange(n, device=x.device), start.diff().long())
        low = torch.full((n, 64), float("-inf"), dtype=x.dtype, device=x.device)
        return low.scatter_reduce(0, node[:, None].expand(-1, 64), x[near.long()], "amax")


def get_inputs():
    count = 4 + (torch.arange(N) * 17) % 25
    start = torch.cat((torch.zeros(1, dtype=torch.int64), count.cumsum(0))).int()
    return [torch.randn(N, 64).half(), start, torch.randint(0, N, (int(start[-1]),)).int()]


def get_init_inputs():
    return []
