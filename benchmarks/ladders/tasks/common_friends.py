"""For pairs of people how many of the first one's 48 friends (a sorted list) the second one has too."""

import torch
import torch.nn as nn

PEOPLE = 50000
PAIRS = 400000
SMALL = {"PEOPLE": 60, "PAIRS": 300}
ATOL, RTOL = 0.0, 0.0
requires = {"friends": "sorted(friends)"}


class Model(nn.Module):
    def forward(self, friends, pair):
        a, b = friends[pair[:, 0].long()], friends[pair[:, 1].long()]
        at = torch.searchsorted(b, a).clamp(max=b.shape[1] - 1)
        return (b.gather(1, at) == a).sum(1).int()


def get_inputs():
    friends = torch.randint(1, 12, (PEOPLE, 48)).cumsum(1) + torch.randint(0, 200, (PEOPLE, 1))
    return [friends.int(), torch.randint(0, PEOPLE, (PAIRS, 2), dtype=torch.int32)]


def get_init_inputs():
    return []
