"""Best value of a knapsack for every capacity: dynamic programming over 60 items with whole weights."""

import torch
import torch.nn as nn

ITEMS = 60
CAPACITY = 200000
SMALL = {"ITEMS": 12, "CAPACITY": 3000}
ATOL, RTOL = 0.0, 0.0
requires = {"weight": "1 <= weight <= 900", "value": "0 <= value <= 1000"}


class Model(nn.Module):
    def forward(self, weight, value, start):
        best = start.clone()
        for w, v in zip(weight.tolist(), value.tolist(), strict=True):
            taken = best[: best.numel() - w] + v
            best = torch.cat((best[:w], torch.maximum(best[w:], taken)))
        return best


def get_inputs():
    return [
        torch.randint(1, 901, (ITEMS,), dtype=torch.int32),
        torch.randint(0, 1001, (ITEMS,), dtype=torch.int32),
        torch.zeros(CAPACITY, dtype=torch.int32),
    ]


def get_init_inputs():
    return []
