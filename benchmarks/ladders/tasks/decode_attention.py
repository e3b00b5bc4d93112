"""Attention of one new token a head over cached keys and values, in halves."""

import torch
import torch.nn as nn

HEADS = 128
S = 4096
SMALL = {"HEADS": 2, "S": 256}
ATOL, RTOL = 3e-3, 3e-3


class Model(nn.Module):
    def forward(self, q, k, v):
        p = torch.softmax((k @ q[:, :, None])[..., 0].to(q.dtype) / 128.0**0.5, -1)
        return (p[:, None, :] @ v)[:, 0].half()


def get_inputs():
    return [
        torch.randn(HEADS, 128).half(),
        torch.randn(HEADS, S, 128).half(),
        torch.randn(HEADS, S, 128).half(),
    ]


def get_init_inputs():
    return []
