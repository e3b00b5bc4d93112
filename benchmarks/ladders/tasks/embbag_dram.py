"""Embedding bag: each output row is the sum of L table rows (table far larger than L2)."""

import torch
import torch.nn as nn

V = 2000000
E = 128
B = 32768
L = 16
SMALL = {"V": 1000, "E": 128, "B": 64, "L": 16}
ATOL, RTOL = 1e-4, 1e-4
BYTES_IDEAL = "4 * (B * L * E + B * L + B * E)"


class Model(nn.Module):
    def forward(self, table, idx):
        return torch.nn.functional.embedding(idx, table).sum(dim=1)


def get_inputs():
    return [torch.randn(V, E), torch.randint(0, V, (B, L), dtype=torch.int32)]


def get_init_inputs():
    return []
