"""Spotting: what a document holds, read from its syntax tree as it is typed."""
