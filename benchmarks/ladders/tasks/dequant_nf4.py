"""Weights of four bits through a table of sixteen values, a scale for each 64 of them, to halves."""

import torch
import torch.nn as nn

N = 50331648
SMALL = {"N": 16384}
ATOL, RTOL = 2e-3, 2e-3
TABLE = [-1.0, -0.6962, -0.5251, -0.3949, -0.2844, -0.1848, -0.0911, 0.0]
TABLE += [0.0796, 0.1609, 0.2461, 0.3379, 0.4407, 0.5626, 0.7230, 1.0]


class Model(nn.Module):
    def forward(self, q, scale, table):
        v = table[torch.stack((q & 15, q >> 4), -1).view(-1).int()]
        return (v.view(-1, 64) * scale[:, None]).view(-1).half()


def get_inputs():
    q = torch.randint(0, 256, (N // 2,), dtype=torch.uint8)
    return [q, torch.rand(N // 64) * 3, torch.tensor(TABLE)]


def get_init_inputs():
    return []
