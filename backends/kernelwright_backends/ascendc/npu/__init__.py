"""The real toolchain of Ascend C: what of it is here, its command lines, and what its programs say.

Nothing of this was run on a device. The command lines follow the documentation of CANN 8 and 9, the readers its documented formats and
output that users published; `docs/guide/ascend_npu.md` says part by part what was tested on what.
"""
