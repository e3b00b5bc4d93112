"""Products on tensor cores: one kernel for matrices and convolutions, whose factors launches before it pack.

`tile.py` says how the work is cut, `packing.py` packs the factors as scaled float16 numbers, `kernel.py` multiplies and stores;
`matrices.py` and `windows.py` tell it where lines lie and how the depth is walked. `family.py` holds the two families of
variants, which `cost.py` ranks.
"""
