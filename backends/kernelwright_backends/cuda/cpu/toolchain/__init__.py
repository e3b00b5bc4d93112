"""Building, linking and running a candidate on the CPU."""
