"""ChaCha20 (RFC 8439) over blocks of 64 bytes: the key stream of block i (counter i) combined with the data by exclusive or."""

import torch
import torch.nn as nn

BLOCKS = 400000
SMALL = {"BLOCKS": 300}
ATOL, RTOL = 0.0, 0.0
MASK = 0xFFFFFFFF


class Model(nn.Module):
    def forward(self, key, nonce, data):
        n = data.shape[0]
        fixed = torch.tensor([0x61707865, 0x3320646E, 0x79622D32, 0x6B206574], device=data.device)
        rest = torch.cat((fixed, key.long() & MASK)).expand(n, 12)
        count = torch.arange(n, device=data.device)[:, None]
        state = torch.cat((rest, count, (nonce.long() & MASK).expand(n, 3)), 1)
        s = list(state.unbind(1))

        def turn(v, k):
            return ((v << k) | (v >> (32 - k))) & MASK

        def quarter(a, b, c, d):
            for first, second, third, k in ((a, b, d, 16), (c, d, b, 12), (a, b, d, 8), (c, d, b, 7)):
                s[first] = (s[first] + s[second]) & MASK
                s[third] = turn(s[third] ^ s[first], k)

        for _ in range(10):
            for i in range(4):
                quarter(i, 4 + i, 8 + i, 12 + i)
            for i in range(4):
                quarter(i, 4 + (i + 1) % 4, 8 + (i + 2) % 4, 12 + (i + 3) % 4)
        stream = (torch.stack(s, 1) + state) & MASK
        word = (data.long() & MASK) ^ stream
        return (((word + (1 << 31)) & MASK) - (1 << 31)).int()


def get_inputs():
    return [
        torch.randint(-(2**31), 2**31, (8,)).int(),
        torch.randint(-(2**31), 2**31, (3,)).int(),
        torch.randint(-(2**31), 2**31, (BLOCKS, 16)).int(),
    ]


def get_init_inputs():
    return []
