"""Product of matrices of signs, 32 to a word, the second one transposed: bits alike less bits that differ."""

import torch
import torch.nn as nn

M = 2048
N = 2048
K = 64
SMALL = {"M": 64, "N": 64, "K": 16}
ATOL, RTOL = 0.0, 0.0


class Model(nn.Module):
    def forward(self, a, b):
        bit = torch.arange(32, device=a.device, dtype=torch.int32)
        fa, fb = ((t[:, :, None] >> bit & 1).flatten(1).float() * 2 - 1 for t in (a, b))
        return (fa @ fb.T).int()


def get_inputs():
    return [torch.randint(-(1 << 31), 1 << 31, (n, K)).int() for n in (M, N)]


def get_init_inputs():
    return []
