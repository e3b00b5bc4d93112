"""Histogram equalisation of a byte image, all in integers, rounded half up."""

import torch
import torch.nn as nn

N = 4000 * 5000
SMALL = {"N": 6000}
ATOL, RTOL = 0.0, 0.0


class Model(nn.Module):
    def forward(self, image):
        count = torch.bincount(image.long(), minlength=256)
        total = count.cumsum(0)
        first = total[image.long().amin()]
        room = (image.numel() - first).clamp(min=1)
        table = ((total - first) * 255 + room // 2) // room
        return table.clamp(min=0)[image.long()].to(torch.uint8)


def get_inputs():
    return [(torch.rand(N).square() * 180 + 30).to(torch.uint8)]


def get_init_inputs():
    return []
