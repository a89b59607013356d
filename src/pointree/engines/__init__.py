"""What computes a parse: torch, for training and GPUs, and a small engine without it."""
