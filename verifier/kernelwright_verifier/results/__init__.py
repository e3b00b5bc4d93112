"""What a verification leaves behind: the verdict, its record and its place in the cache."""
