"""Several models that parse as one."""

from pointree.ensemble.ensemble import Ensemble, load_ensemble, load_models

__all__ = ["Ensemble", "load_ensemble", "load_models"]
