"""The time mixing of RWKV: a decaying weighted mean of all earlier values, the present one with a bonus of its own."""

import torch
import torch.nn as nn

B = 8
T = 512
C = 1024
SMALL = {"B": 2, "T": 40, "C": 64}
ATOL, RTOL = 1e-3, 1e-3
requires = {"decay": "decay >= 0"}


class Model(nn.Module):
    def forward(self, decay, bonus, k, v):
        top = torch.full_like(k[:, 0], -1e30)
        num, den = torch.zeros_like(top), torch.zeros_like(top)
        out = []
        for t in range(k.shape[1]):
            kt, vt = k[:, t], v[:, t]
            m = torch.maximum(top, bonus + kt)
            old, new = torch.exp(top - m), torch.exp(bonus + kt - m)
            out.append((old * num + new * vt) / (old * den + new))
            m = torch.maximum(top - decay, kt)
            old, new = torch.exp(top - decay - m), torch.exp(kt - m)
            num, den, top = old * num + new * vt, old * den + new, m
        return torch.stack(out, 1)


def get_inputs():
    return [torch.rand(C) * 2 + 0.01, torch.randn(C), torch.randn(B, T, C), torch.randn(B, T, C)]


def get_init_inputs():
    return []
