"""Training: data, batches, schedules, optimiser, checkpoints and the loop that joins them."""
