"""Sentences as numbers, and where they lie in a batch: numpy alone, whatever computes with them."""
