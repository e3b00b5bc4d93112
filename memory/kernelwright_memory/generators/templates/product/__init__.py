"""Products on tensor cores: one kernel for matrices and convolutions, whose operands are gathers.

`tile.py` says how the work is cut, `operands.py` and `windows.py` bring tiles into shared memory, `multiplying.py` computes on
them, `epilogue.py` stores, `kernel.py` joins these. `matrices.py` and `convolutions.py` are the two families: their variants
are ranked by `cost.py`.
"""
