"""From CUDA C++ to C++ that g++ compiles, in as few places as possible (docs/development/cuda_on_cpu.md, Rewriting).

`rewrite.py` walks the trees of a translation unit and asks a module for each construct of CUDA; each answers with edits
(`edits.py`). A construct may stand in the document or in a fragment of it that was parsed by itself, such as a macro's text
(`fragment.py`).
"""
