"""The prompts, as data files, and what fills them."""
