"""Products of pairs of 256-bit integers, eight words each, the lowest first, into sixteen words."""

import torch
import torch.nn as nn

N = 1 << 19
SMALL = {"N": 256}


class Model(nn.Module):
    def forward(self, a, b):
        def halves(v):
            v = v.long() & 0xFFFFFFFF
            return torch.stack([v & 0xFFFF, v >> 16], 2).flatten(1)

        a, b = halves(a), halves(b)
        sums = torch.zeros(a.shape[0], 32, dtype=torch.long, device=a.device)
        for i in range(16):
            sums[:, i : i + 16] += a[:, i : i + 1] * b
        carry, words = 0, []
        for i in range(32):
            v = sums[:, i] + carry
            words.append(v & 0xFFFF)
            carry = v >> 16
        out = torch.stack(words[::2], 1) | torch.stack(words[1::2], 1) << 16
        return (out - (out >> 31 << 32)).int()


def get_inputs():
    return [torch.randint(-(1 << 31), (1 << 31) - 1, (N, 8), dtype=torch.int32) for _ in range(2)]


def get_init_inputs():
    return []
