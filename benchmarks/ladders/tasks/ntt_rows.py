"""Number-theoretic transform of rows of 1024 numbers modulo 998244353; w holds the powers of the root."""

import torch
import torch.nn as nn

ROWS = 4096
P = 998244353
SMALL = {"ROWS": 8}
ATOL, RTOL = 0.0, 0.0


class Model(nn.Module):
    def forward(self, x, w):
        rows, n = x.shape
        i = torch.arange(n, device=x.device)
        rev = sum(((i >> b) & 1) << (9 - b) for b in range(10))
        a = x.long()[:, rev]
        m = 1
        while m < n:
            a = a.view(rows, n // (2 * m), 2, m)
            t = a[:, :, 1] * w.long()[:: n // (2 * m)] % 998244353
            u = a[:, :, 0]
            a = torch.stack([(u + t) % 998244353, (u - t) % 998244353], 2).reshape(rows, n)
            m *= 2
        return a.int()


def get_inputs():
    root = pow(3, (P - 1) // 1024, P)
    w = torch.tensor([pow(root, k, P) for k in range(512)], dtype=torch.int32)
    return [torch.randint(0, P, (ROWS, 1024), dtype=torch.int32), w]


def get_init_inputs():
    return []
