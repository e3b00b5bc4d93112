"""Cosine embedding."""

import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    def forward(self, a, b, y):
        return F.cosine_embedding_loss(a, b, y)


def get_inputs():
    return [torch.randn(24, 40), torch.randn(24, 40), torch.ones(24)]


def get_init_inputs():
    return []
