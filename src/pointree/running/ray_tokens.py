"""Whether a Ray cluster asks for a token, so that this process joins it as its nodes do.

Ray writes a token to the home folder when it first starts a cluster there, and from then on asks for it wherever it is
found: by the age of a cluster, it wants the token or must not be given one. Ray leaves that to `RAY_AUTH_MODE`. Where
that is not set, the cluster is asked.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from types import ModuleType

__all__ = ["MODE", "matching_tokens"]

MODE = "RAY_AUTH_MODE"


@contextmanager
def matching_tokens(ray: ModuleType, cluster: str) -> Iterator[None]:
    """Use tokens, or none, as the cluster of an address (or ``auto``) does; what the user has set is left alone."""
    if MODE in os.environ or not hasattr(ray.exceptions, "AuthenticationError"):  # older Ray has no tokens
        yield
        return
    try:
        if cluster != "local" and (address := _address(cluster)) is not None:
            _set_mode("token" if _wants_token(ray, address) else "disabled")
        yield
    finally:  # also after `local`, for which Ray sets the mode itself
        _set_mode(None)


def _address(cluster: str) -> str | None:
    """Where the control store of a cluster listens; None where this cannot be told, as of a client's server."""
    from ray._private import services

    if cluster.startswith("ray://"):
        return None
    try:
        found = services.canonicalize_bootstrap_address(cluster, None)
    except ConnectionError:
        return None  # none runs, as joining will say
    return None if found is None else str(found)


def _wants_token(ray: ModuleType, address: str) -> bool:
    """Whether a cluster refuses who has no token: asked without one."""
    _set_mode("disabled")
    try:
        import_module("ray._raylet").GcsClient(address=address)
    except ray.exceptions.AuthenticationError:
        return True
    except Exception:
        return False  # joining will say what is wrong
    return False


def _set_mode(mode: str | None) -> None:
    if mode is None:
        os.environ.pop(MODE, None)
    else:
        os.environ[MODE] = mode
    import_module("ray._raylet").Config.initialize("")  # Ray has read the variable when it was imported
