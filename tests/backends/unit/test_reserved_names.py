"""Functions of a runtime that no candidate may have of its own."""

import re

from kernelwright_backends.ascendc.cpu import prebuilt as ascendc


def test_reserved_are_functions_of_the_runtime_and_none_that_our_headers_define() -> None:
    reserved = ascendc.reserved_names()
    headers = [file.read_text(encoding="utf-8") for file in ascendc.INCLUDE.rglob("*") if file.is_file()]
    assert len(reserved) > 50 and {"kw_acl_on_stream", "kw_asc_launch"} <= reserved
    assert [
        name
        for name in sorted(reserved)
        if any(re.search(rf'extern "C"[^;{{}}]*\b{name}\b[^;{{}}]*\{{', text) for text in headers)
    ] == []
    # A header of ours defines it in every object with a tiling function.
    assert "kw_host_tiling" in ascendc.runtime_names() - reserved
