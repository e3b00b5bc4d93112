"""Distances from node 0 in a graph with eight edges from a node, to nodes not far off; -1 beyond 32 levels."""

import torch
import torch.nn as nn

N = 1 << 18
SMALL = {"N": 1 << 12}
ATOL, RTOL = 0.0, 0.0


class Model(nn.Module):
    def forward(self, near):
        to = near.long().flatten()
        level = torch.full((near.shape[0],), -1, dtype=torch.int32, device=near.device)
        level[0] = 0
        for step in range(32):
            hits = torch.zeros_like(level).index_add(0, to, (level == step).int().repeat_interleave(8))
            level = torch.where((hits > 0) & (level < 0), torch.full_like(level, step + 1), level)
        return level


def get_inputs():
    return [((torch.arange(N)[:, None] + torch.randint(-12000, 12001, (N, 8))) % N).int()]


def get_init_inputs():
    return []
