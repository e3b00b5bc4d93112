"""Frames of 32 numbers of eleven bits, packed into eleven words, unpacked and added to the base of their frame."""

import torch
import torch.nn as nn

G = 1 << 18
SMALL = {"G": 64}


class Model(nn.Module):
    def forward(self, x, base):
        at = torch.arange(32, device=x.device) * 11
        word, shift = at // 32, at % 32
        x = x.long() & 0xFFFFFFFF
        both = x[:, word] | x[:, (word + 1).clamp(max=10)] << 32
        return (base[:, None] + ((both >> shift) & 2047)).int().flatten()


def get_inputs():
    return [
        torch.randint(-(1 << 31), (1 << 31) - 1, (G, 11), dtype=torch.int32),
        torch.randint(0, 1 << 20, (G,), dtype=torch.int32),
    ]


def get_init_inputs():
    return []
