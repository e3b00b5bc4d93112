"""The files of a candidate: its translation units, their headers and their syntax trees."""
