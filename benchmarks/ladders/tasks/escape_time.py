"""After how many of 200 rounds each point of the plane leaves the circle of radius two."""

import torch
import torch.nn as nn

H = 2048
W = 2048
SMALL = {"H": 16, "W": 64}
ATOL, RTOL, BAD_SHARE = 0.0, 0.0, 0.05


class Model(nn.Module):
    def forward(self, re, im):
        cr, ci = re[None, :].expand(im.numel(), -1), im[:, None].expand(-1, re.numel())
        a, b = torch.zeros_like(cr), torch.zeros_like(ci)
        count = torch.zeros(cr.shape, dtype=torch.int32, device=re.device)
        for _ in range(200):
            inside = a * a + b * b <= 4
            count += inside.int()
            a, b = torch.where(inside, a * a - b * b + cr, a), torch.where(inside, 2 * a * b + ci, b)
        return count


def get_inputs():
    return [torch.linspace(-2, 0.6, W), torch.linspace(-1.3, 1.3, H)]


def get_init_inputs():
    return []
