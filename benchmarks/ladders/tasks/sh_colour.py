"""Colours of splats seen from a direction: real spherical harmonics to the third degree, shifted by a half and cut at nought."""

import torch
import torch.nn as nn

N = 500000
SMALL = {"N": 333}
ATOL, RTOL = 1e-4, 1e-4


class Model(nn.Module):
    def forward(self, coeff, direction):
        x, y, z = direction.unbind(1)
        xx, yy, zz = x * x, y * y, z * z
        basis = [
            torch.full_like(x, 0.28209479),
            -0.48860251 * y,
            0.48860251 * z,
            -0.48860251 * x,
            1.09254843 * x * y,
            -1.09254843 * y * z,
            0.31539157 * (2 * zz - xx - yy),
            -1.09254843 * x * z,
            0.54627422 * (xx - yy),
            -0.59004359 * y * (3 * xx - yy),
            2.89061144 * x * y * z,
            -0.45704580 * y * (4 * zz - xx - yy),
            0.37317633 * z * (2 * zz - 3 * xx - 3 * yy),
            -0.45704580 * x * (4 * zz - xx - yy),
            1.44530572 * z * (xx - yy),
            -0.59004359 * x * (xx - 3 * yy),
        ]
        return ((coeff * torch.stack(basis, 1)[:, :, None]).sum(1) + 0.5).clamp(min=0)


def get_inputs():
    d = torch.randn(N, 3)
    return [torch.randn(N, 16, 3) * 0.3, d / d.norm(dim=1, keepdim=True)]


def get_init_inputs():
    return []
