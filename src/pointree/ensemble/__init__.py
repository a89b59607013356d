"""Several models that parse as one."""

from pointree.ensemble.ensemble import COMBINATIONS, Ensemble, load_ensemble

__all__ = ["COMBINATIONS", "Ensemble", "load_ensemble"]
