"""Jump flooding: for every point of an image the place of a near seed (any nonzero byte), -1 where there is none; exactly its rounds."""

import torch
import torch.nn as nn

H = 1024
W = 1024
SMALL = {"H": 50, "W": 70}
ATOL, RTOL = 0.0, 0.0


class Model(nn.Module):
    def forward(self, seed):
        h, w = seed.shape
        far = 1 << 30
        place = torch.arange(h * w, device=seed.device).view(h, w)
        y, x = place // w, place % w
        best = torch.where(seed != 0, place, -1)
        step = 512
        while step:
            pad = nn.functional.pad(best, (step, step, step, step), value=-1)
            last = best
            dist = torch.where(last < 0, far, (last // w - y) ** 2 + (last % w - x) ** 2)
            for dy in range(3):
                for dx in range(3):
                    c = pad[dy * step : dy * step + h, dx * step : dx * step + w]
                    d = torch.where(c < 0, far, (c // w - y) ** 2 + (c % w - x) ** 2)
                    best, dist = torch.where(d < dist, c, best), torch.minimum(d, dist)
            step //= 2
        return best.int()


def get_inputs():
    return [(torch.rand(H, W) < 0.001).to(torch.uint8)]


def get_init_inputs():
    return []
