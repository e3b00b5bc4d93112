"""Counting instead of checking: the second object, its instructions by class, and what its traces say."""
