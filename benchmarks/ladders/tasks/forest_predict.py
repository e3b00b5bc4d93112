"""Sum over 64 complete decision trees of depth six: a node's feature not below its threshold leads to the right."""

import torch
import torch.nn as nn

S = 65536
SMALL = {"S": 256}
ATOL, RTOL = 1e-4, 1e-4


class Model(nn.Module):
    def forward(self, x, feature, threshold, leaf):
        tree = torch.arange(64, device=x.device)
        node = torch.zeros(x.shape[0], 64, dtype=torch.int64, device=x.device)
        for _ in range(6):
            right = x.gather(1, feature[tree, node].long()) >= threshold[tree, node]
            node = 2 * node + 1 + right.long()
        return leaf[tree, node - 63].sum(1)


def get_inputs():
    return [
        torch.randn(S, 32),
        torch.randint(0, 32, (64, 63)).int(),
        torch.randn(64, 63) * 0.7,
        torch.randn(64, 64),
    ]


def get_init_inputs():
    return []
