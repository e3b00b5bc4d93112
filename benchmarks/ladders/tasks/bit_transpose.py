"""Square matrices of 32 x 32 bits, a word a row, each one transposed: bit j of word i becomes bit i of word j."""

import torch
import torch.nn as nn

N = 500000
SMALL = {"N": 300}
ATOL, RTOL = 0.0, 0.0


class Model(nn.Module):
    def forward(self, x):
        at = torch.arange(32, device=x.device)
        bits = (x.long()[:, :, None] >> at) & 1
        words = (bits.transpose(1, 2) << at).sum(-1)
        return torch.where(words >= 1 << 31, words - (1 << 32), words).to(torch.int32)


def get_inputs():
    return [torch.randint(-(2**31), 2**31 - 1, (N, 32), dtype=torch.int64).to(torch.int32)]


def get_init_inputs():
    return []
