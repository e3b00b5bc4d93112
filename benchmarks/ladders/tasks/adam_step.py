"""One step of Adam: the new parameters, from parameter, gradient and both moments."""

import torch
import torch.nn as nn

N = 1 << 24
SMALL = {"N": 1 << 13}
ATOL, RTOL = 1e-5, 1e-4


class Model(nn.Module):
    def forward(self, p, g, m, v):
        m2 = 0.9 * m + 0.1 * g
        v2 = 0.999 * v + 0.001 * g * g
        return p - 0.001 * (m2 / 0.271) / ((v2 / 0.002997).sqrt() + 1e-8)


def get_inputs():
    return [torch.randn(N), torch.randn(N), torch.randn(N), torch.rand(N)]


def get_init_inputs():
    return []
