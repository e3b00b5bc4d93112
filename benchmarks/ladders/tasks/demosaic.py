"""Colours from a sensor with a Bayer pattern (red first), bilinear, integers rounded half up, mirrored at the borders."""

import torch
import torch.nn as nn

H = 3000
W = 4000
SMALL = {"H": 36, "W": 68}
ATOL, RTOL = 0.0, 0.0


class Model(nn.Module):
    def forward(self, raw):
        h, w = raw.shape
        rows, cols = torch.arange(-1, h + 1), torch.arange(-1, w + 1)
        rows[0], rows[-1], cols[0], cols[-1] = 1, h - 2, 1, w - 2
        p = raw[rows.to(raw.device)][:, cols.to(raw.device)].int()

        def at(dy, dx):
            return p[1 + dy : 1 + dy + h, 1 + dx : 1 + dx + w]

        here = at(0, 0)
        cross = (at(-1, 0) + at(1, 0) + at(0, -1) + at(0, 1) + 2) >> 2
        corner = (at(-1, -1) + at(-1, 1) + at(1, -1) + at(1, 1) + 2) >> 2
        side, above = (at(0, -1) + at(0, 1) + 1) >> 1, (at(-1, 0) + at(1, 0) + 1) >> 1
        y = torch.arange(h, device=raw.device)[:, None] % 2
        x = torch.arange(w, device=raw.device)[None, :] % 2
        red = torch.where(y == 0, torch.where(x == 0, here, side), torch.where(x == 0, above, corner))
        green = torch.where(y == x, cross, here)
        blue = torch.where(y == 0, torch.where(x == 0, corner, above), torch.where(x == 0, side, here))
        return torch.stack((red, green, blue), 2).to(torch.uint8)


def get_inputs():
    return [torch.randint(0, 256, (H, W), dtype=torch.uint8)]


def get_init_inputs():
    return []
