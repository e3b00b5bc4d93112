"""Divergence."""

import torch
import torch.nn as nn

ROWS = 24
COLS = 200


class Model(nn.Module):
    def forward(self, p, q):
        return nn.functional.kl_div(q.log_softmax(dim=1), p.softmax(dim=1), reduction="batchmean")


def get_inputs():
    return [torch.randn(ROWS, COLS), torch.randn(ROWS, COLS)]


def get_init_inputs():
    return []
