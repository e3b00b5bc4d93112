"""Bytes encoded as base64: three bytes to four letters."""

import torch
import torch.nn as nn

N = 1 << 22
SMALL = {"N": 1 << 12}
ATOL, RTOL = 0.0, 0.0


class Model(nn.Module):
    def forward(self, x):
        letters = list(range(65, 91)) + list(range(97, 123)) + list(range(48, 58)) + [43, 47]
        table = torch.tensor(letters, dtype=torch.uint8, device=x.device)
        b = x.view(-1, 3).long()
        v = b[:, 0] << 16 | b[:, 1] << 8 | b[:, 2]
        return table[torch.stack([v >> 18, v >> 12 & 63, v >> 6 & 63, v & 63], 1)].flatten()


def get_inputs():
    return [torch.randint(0, 256, (3 * N,)).to(torch.uint8)]


def get_init_inputs():
    return []
