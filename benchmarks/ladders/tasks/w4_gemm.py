"""Halves times the transpose of weights of four bits, eight to a number, with a scale a weight row."""

import torch
import torch.nn as nn

M = 256
N = 4096
K = 4096
SMALL = {"M": 64, "N": 64, "K": 256}
ATOL, RTOL = 1e-1, 1e-2


class Model(nn.Module):
    def forward(self, x, q, scale):
        shifts = torch.arange(0, 32, 4, device=q.device, dtype=torch.int32)
        w = ((q[:, :, None] >> shifts) & 15).flatten(1) - 8
        return ((x.float() @ w.float().T) * scale.float()).to(x.dtype)


def get_inputs():
    q = torch.randint(-(2**31), 2**31 - 1, (N, K // 8), dtype=torch.int64).to(torch.int32)
    return [torch.randn(M, K).half(), q, torch.rand(N) * 0.02]


def get_init_inputs():
    return []
