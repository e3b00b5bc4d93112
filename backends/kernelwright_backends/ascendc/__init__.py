"""Ascend C: the dialect of Huawei's NPUs."""
