"""A cluster that asks for a token is joined with one, any other without, whatever Ray finds in the home folder."""

from __future__ import annotations

import os
from types import SimpleNamespace

import pytest

from pointree.running.ray_tokens import MODE, matching_tokens

ray = pytest.importorskip("ray", reason="needs pointree[ray]")

ADDRESS = "127.0.0.2:6379"


def client(wants: bool) -> type:
    """What stands for Ray's client of a cluster, which says whether it ``wants`` a token."""

    class Client:
        def __init__(self, address: str) -> None:
            assert (address, os.environ[MODE]) == (ADDRESS, "disabled"), "asked without a token"
            if wants:
                raise ray.exceptions.AuthenticationError("token is missing")

    return Client


@pytest.mark.parametrize(("wants", "mode"), [(True, "token"), (False, "disabled")])
def test_a_cluster_is_asked(monkeypatch: pytest.MonkeyPatch, wants: bool, mode: str) -> None:
    monkeypatch.delenv(MODE, raising=False)
    monkeypatch.setattr("ray._raylet.GcsClient", client(wants))
    with matching_tokens(ray, ADDRESS):
        assert os.environ[MODE] == mode
    assert MODE not in os.environ


def test_what_the_user_has_set_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(MODE, "token")
    with matching_tokens(SimpleNamespace(), ADDRESS):  # type: ignore[arg-type]
        assert os.environ[MODE] == "token"
    assert os.environ[MODE] == "token"


def test_a_cluster_of_our_own_is_not_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(MODE, raising=False)
    with matching_tokens(ray, "local"):
        assert MODE not in os.environ
        os.environ[MODE] = "token"  # as Ray does when it starts the cluster
    assert MODE not in os.environ
