"""Attention forward in half precision, 64 dimensions a head, no mask."""

import torch
import torch.nn as nn

BH = 48
S = 1024
SMALL = {"BH": 2, "S": 128}
ATOL, RTOL = 5e-3, 2e-2


class Model(nn.Module):
    def forward(self, q, k, v):
        p = torch.softmax(torch.matmul(q.float(), k.float().transpose(1, 2)) * 0.125, dim=-1)
        return torch.matmul(p, v.float()).to(q.dtype)


def get_inputs():
    return [torch.randn(BH, S, 64).half(), torch.randn(BH, S, 64).half(), torch.randn(BH, S, 64).half()]


def get_init_inputs():
    return []
