"""What every dialect speaks of: findings, targets, kernels, fixes, devices, and the registry of dialects."""
