"""The output folder of a job: who may write to it, and what is left in it by a process that ended early."""

from __future__ import annotations

import json
from contextlib import nullcontext
from pathlib import Path

import pytest

from pointree.bulk import manifest as bulk_manifest
from pointree.bulk.manifest import JOB_MANIFEST
from pointree.bulk.run import parse_on_cluster
from pointree.errors import OutputError, UsageError
from pointree.running.ray_session import ClusterError

from .conftest import InProcess, together


@pytest.fixture
def text(tmp_path: Path) -> Path:
    path = tmp_path / "a.txt"
    path.write_text("It rains.\n\nShe sleeps.\n", encoding="utf-8")
    return path


def test_a_folder_in_which_nothing_was_made_is_free_for_another_job(
    text: Path, model: Path, in_process: InProcess, tmp_path: Path
) -> None:
    """After a slip, such as a device that does not exist, the right options may go to the same folder."""
    with pytest.raises(ClusterError, match=r"^device nonsense cannot be used"):
        parse_on_cluster(text, tmp_path / "out", model=model, device="nonsense", shard_words=1)
    assert (tmp_path / "out" / JOB_MANIFEST).exists()
    report = parse_on_cluster(text, tmp_path / "out", model=model)
    assert (report.shards, report.sentences) == (1, 2), "the plan is that of the new options"


def test_a_cluster_that_cannot_be_joined_leaves_no_folder(
    text: Path, model: Path, in_process: InProcess, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_arguments: object, **_options: object) -> None:
        raise ClusterError("no cluster answers there")

    monkeypatch.setattr("pointree.bulk.run.connected", refuse)
    with pytest.raises(ClusterError):
        parse_on_cluster(text, tmp_path / "out", model=model)
    assert not (tmp_path / "out").exists()


def test_a_folder_without_room_for_the_manifest_can_be_used_again(
    text: Path, model: Path, in_process: InProcess, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_arguments: object) -> None:
        raise OutputError("manifest.json: cannot be written: No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(bulk_manifest, "atomic_write", full)
        with pytest.raises(OutputError):
            parse_on_cluster(text, tmp_path / "out", model=model)
    (tmp_path / "out" / f".{JOB_MANIFEST}.0123abcd.tmp").touch()  # of a process that was killed
    assert parse_on_cluster(text, tmp_path / "out", model=model).sentences == 2
    assert not list((tmp_path / "out").glob(".*"))


def test_two_processes_do_not_work_on_one_job(text: Path, model: Path, in_process: InProcess, tmp_path: Path) -> None:
    refused: list[str] = []

    def advance(*_numbers: int) -> None:
        if not refused:
            with pytest.raises(UsageError) as caught:
                parse_on_cluster(text, tmp_path / "out", model=model)
            refused.append(str(caught.value))

    report = parse_on_cluster(text, tmp_path / "out", model=model, progress=lambda: nullcontext(advance))
    assert refused == [f"{tmp_path / 'out'}: another process is at work on this job; wait until it ends"]
    assert report.sentences == 2


def test_another_version_of_pointree_does_not_mix(
    text: Path, model: Path, in_process: InProcess, tmp_path: Path
) -> None:
    parse_on_cluster(text, tmp_path / "out", model=model)
    path = tmp_path / "out" / JOB_MANIFEST
    content = json.loads(path.read_text(encoding="utf-8"))
    path.write_text(json.dumps({**content, "pointree": "0.0.1"}), encoding="utf-8")
    with pytest.raises(UsageError, match=r"holds a job with pointree 0\.0\.1, now .*; choose another folder$"):
        parse_on_cluster(text, tmp_path / "out", model=model)


def test_names_that_are_not_utf8_and_links_to_nothing(model: Path, in_process: InProcess, tmp_path: Path) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    try:
        Path(str(folder) + "/caf\udce9.txt").write_text("It rains.", encoding="utf-8")
    except OSError:
        pytest.skip("the file system has names in UTF-8 only")
    (folder / "good.txt").write_text("She sleeps.", encoding="utf-8")
    (folder / "nothing.txt").symlink_to("nowhere")
    report = parse_on_cluster(folder, tmp_path / "out", model=model)
    assert (report.sentences, report.failed) == (2, 1)
    assert f"# newdoc id = {folder}/caf\ufffd.txt\n" in together(report.folder)
    [failure] = (report.folder / "failed.jsonl").read_text(encoding="utf-8").splitlines()
    assert json.loads(failure)["reason"] == f"{folder}/nothing.txt: no such file"
    assert parse_on_cluster(folder, tmp_path / "out", model=model) == report
