"""The trusted process that starts confined programs: standard library only, nothing of ours but `removal`.

Run by path with `python -I -S` and imported under its own name, once for each server. It has loaded what a start needs, so that
a start costs a fork, and it has one thread, so that it may fork at all.
"""
