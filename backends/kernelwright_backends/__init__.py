"""What a dialect is, and how its kernels are found, built, run and costed."""
