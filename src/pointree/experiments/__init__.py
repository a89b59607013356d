"""Grids of training runs: declared in one file, run side by side, resumed, and reported beside the paper's figures."""
