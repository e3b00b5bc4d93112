"""Forces between bodies of unit mass, softened."""

import torch
import torch.nn as nn

N = 16384
SMALL = {"N": 512}
ATOL, RTOL = 5e-1, 2e-3


class Model(nn.Module):
    def forward(self, p):
        out = []
        for part in p.split(1024):
            d = p[None, :, :3] - part[:, None, :3]
            f = (d.square().sum(-1) + 0.01).rsqrt()
            out.append((d * (f * f * f)[..., None]).sum(1))
        return nn.functional.pad(torch.cat(out), (0, 1))


def get_inputs():
    return [torch.randn(N, 4)]


def get_init_inputs():
    return []
