"""Motion search: the least sum of absolute differences of every 16 x 16 block within 8 pixels of its place."""

import torch
import torch.nn as nn

H = 1024
W = 1024
SMALL = {"H": 32, "W": 64}
ATOL, RTOL = 0.0, 0.0


class Model(nn.Module):
    def forward(self, cur, ref):
        h, w = cur.shape
        c, r = cur.int(), ref.int()
        best = torch.full((h // 16, w // 16), 1 << 30, dtype=torch.int64, device=cur.device)
        for dy in range(17):
            for dx in range(17):
                d = (c - r[dy : dy + h, dx : dx + w]).abs().view(h // 16, 16, w // 16, 16).sum((1, 3))
                best = torch.minimum(best, d)
        return best.int()


def get_inputs():
    return [
        torch.randint(0, 256, (H, W)).to(torch.uint8),
        torch.randint(0, 256, (H + 16, W + 16)).to(torch.uint8),
    ]


def get_init_inputs():
    return []
