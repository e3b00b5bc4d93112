"""Is this kernel honest, buildable, right, fast?"""
