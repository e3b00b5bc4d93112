"""Cross entropy with label smoothing of bfloat16 logits, a loss for each row."""

import torch
import torch.nn as nn

ROWS = 4096
V = 32000
SMALL = {"ROWS": 6, "V": 1040}
ATOL, RTOL = 2e-3, 1e-3
requires = {"label": "0 <= label < x.shape[1]"}


class Model(nn.Module):
    def forward(self, x, label):
        return torch.nn.functional.cross_entropy(
            x.float(), label.long(), label_smoothing=0.1, reduction="none"
        )


def get_inputs():
    return [torch.randn(ROWS, V).bfloat16(), torch.randint(0, V, (ROWS,), dtype=torch.int32)]


def get_init_inputs():
    return []
