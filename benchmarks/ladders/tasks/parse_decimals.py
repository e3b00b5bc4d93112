"""Numbers of eight decimal digits as text, each followed by one more byte that does not count, to int32."""

import torch
import torch.nn as nn

N = 2999999
SMALL = {"N": 3001}
ATOL, RTOL = 0.0, 0.0
requires = {"x": "48 <= x <= 57"}


class Model(nn.Module):
    def forward(self, x):
        d = x.view(-1, 9)[:, :8].long() - 48
        power = 10 ** torch.arange(7, -1, -1, device=x.device)
        return (d * power).sum(1).to(torch.int32)


def get_inputs():
    return [torch.randint(48, 58, (9 * N,)).to(torch.uint8)]


def get_init_inputs():
    return []
