"""The least number of differing bits between each row of 256 bits and 128 others."""

import torch
import torch.nn as nn

ROWS = 1048576
SMALL = {"ROWS": 256}
ATOL, RTOL = 0.0, 0.0


class Model(nn.Module):
    def forward(self, x, queries):
        bit = torch.arange(32, device=x.device)

        def signs(words):
            return (((words[..., None].long() >> bit) & 1) * 2 - 1).flatten(1).float()

        q = signs(queries)
        least = [((256 - signs(part) @ q.t()) / 2).amin(1) for part in x.split(65536)]
        return torch.cat(least).to(torch.int32)


def get_inputs():
    words = torch.randint(-(2**31), 2**31, (ROWS, 8)).to(torch.int32)
    return [words, torch.randint(-(2**31), 2**31, (128, 8)).to(torch.int32)]


def get_init_inputs():
    return []
