"""The median of each pixel's three by three neighbours, edges repeated, of grey images of bytes."""

import torch
import torch.nn as nn
import torch.nn.functional as F

N = 8
H = 2048
W = 2048
SMALL = {"N": 1, "H": 16, "W": 128}
ATOL, RTOL = 0.0, 0.0


class Model(nn.Module):
    def forward(self, x):
        wide = F.pad(x.float()[:, None], (1, 1, 1, 1), mode="replicate")[:, 0]
        h, w = x.shape[1:]
        near = [wide[:, dy : dy + h, dx : dx + w] for dy in range(3) for dx in range(3)]
        return torch.stack(near).median(0).values.to(torch.uint8)


def get_inputs():
    return [torch.randint(0, 256, (N, H, W), dtype=torch.uint8)]


def get_init_inputs():
    return []
