"""The compression function of SHA-256 on blocks of sixteen words, from the standard's initial state."""

import torch
import torch.nn as nn

N = 1 << 20
SMALL = {"N": 256}

PRIMES = [p for p in range(2, 312) if all(p % q for q in range(2, p))]
MASK = (1 << 32) - 1


def root(p, power, unit=1 << 32):
    """The first 32 bits of the fractional part of p's square or cube root, by integers."""
    lo, hi = 0, p * unit
    while lo < hi:
        mid = (lo + hi + 1) // 2
        if mid**power <= p * unit**power:
            lo = mid
        else:
            hi = mid - 1
    return lo % unit


STATE = [root(p, 2) for p in PRIMES[:8]]
K = [root(p, 3) for p in PRIMES[:64]]


class Model(nn.Module):
    def forward(self, x):
        def turn(v, n):
            return (v >> n | v << (32 - n)) & MASK

        w = [v & MASK for v in x.long().unbind(1)]
        for t in range(16, 64):
            p, q = w[t - 15], w[t - 2]
            s0, s1 = turn(p, 7) ^ turn(p, 18) ^ p >> 3, turn(q, 17) ^ turn(q, 19) ^ q >> 10
            w.append((w[t - 16] + s0 + w[t - 7] + s1) & MASK)
        a, b, c, d, e, f, g, h = (torch.full_like(w[0], s) for s in STATE)
        for t in range(64):
            t1 = h + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) + (e & f ^ (e ^ MASK) & g) + K[t] + w[t]
            t2 = (turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + (a & b ^ a & c ^ b & c)
            a, b, c, d, e, f, g, h = (t1 + t2) & MASK, a, b, c, (d + t1) & MASK, e, f, g
        out = torch.stack([(v + s) & MASK for v, s in zip((a, b, c, d, e, f, g, h), STATE, strict=True)], 1)
        return (out - (out >> 31 << 32)).int()


def get_inputs():
    return [torch.randint(-(1 << 31), (1 << 31) - 1, (N, 16), dtype=torch.int32)]


def get_init_inputs():
    return []
