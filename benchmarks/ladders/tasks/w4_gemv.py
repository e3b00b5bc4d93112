"""Weights of four bits, eight to a number, with a scale a row, times a vector of halves."""

import torch
import torch.nn as nn

N = 8192
K = 8192
SMALL = {"N": 64, "K": 512}
ATOL, RTOL = 5e-1, 1e-2


class Model(nn.Module):
    def forward(self, q, scale, x):
        shifts = torch.arange(0, 32, 4, device=q.device, dtype=torch.int32)
        w = ((q[:, :, None] >> shifts) & 15).flatten(1) - 8
        return (w.float() @ x.float()) * scale.float()


def get_inputs():
    q = torch.randint(-(2**31), 2**31 - 1, (N, K // 8), dtype=torch.int64).to(torch.int32)
    return [q, torch.rand(N) * 0.1, torch.randn(K).half()]


def get_init_inputs():
    return []
