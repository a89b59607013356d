"""How a process computes: threads, precision, batches, worker processes."""
