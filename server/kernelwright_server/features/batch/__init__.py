"""Many tasks drafted and refined in one run: which they are, what is kept of each, and in which order they are worked on."""
