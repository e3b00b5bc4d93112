"""Four parity bytes of eight data bytes over GF(256), polynomial 0x11d, as an erasure code computes them."""

import torch
import torch.nn as nn

N = 4194304
SMALL = {"N": 4096}
ATOL, RTOL = 0.0, 0.0


class Model(nn.Module):
    def forward(self, data, coef):
        rows = [torch.zeros_like(data[0]) for _ in range(4)]
        zero = torch.zeros_like(data[0])
        for i in range(8):
            d = data[i]
            for b in range(8):
                for j in range(4):
                    rows[j] = rows[j] ^ torch.where((coef[j, i] >> b & 1) != 0, d, zero)
                d = (d << 1) ^ (d >> 7) * 0x1D
        return torch.stack(rows)


def get_inputs():
    return [torch.randint(0, 256, (8, N)).to(torch.uint8), torch.randint(0, 256, (4, 8)).to(torch.uint8)]


def get_init_inputs():
    return []
