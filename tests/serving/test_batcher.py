"""Requests that arrive together are parsed together; long ones leave room; clients that go away cost nothing."""

from __future__ import annotations

import itertools
import json
import threading
import time
from collections.abc import Callable
from typing import Any

import pytest

from pointree.errors import PointreeError
from pointree.options import ParseOptions
from pointree.treebank.sentence import Sentence

from .conftest import PATIENCE, eventually

pytest.importorskip("fastapi", reason="needs pip install 'pointree[serve]'")
pytest.importorskip("httpx", reason="needs httpx")

from pointree.serving.rounds import Round, fill_parts
from pointree.serving.task import Task

Serve = Callable[..., Any]


def _conllu(n_words: int) -> str:
    return "".join(f"{n}\tword\t_\tNOUN\t_\t_\t_\t_\t_\t_\n" for n in range(1, n_words + 1)) + "\n"


def in_parallel(*calls: Callable[[], Any]) -> list[Any]:
    results: list[Any] = [None] * len(calls)

    def call(number: int) -> None:
        results[number] = calls[number]()

    threads = [threading.Thread(target=call, args=[number]) for number in range(len(calls))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE)
    return results


def test_requests_that_arrive_together_share_a_batch(serve: Serve, parser: Any) -> None:
    with serve(wait=1.0) as running:
        sentences = [["Word"] * n for n in range(1, 11)]
        replies = in_parallel(*(lambda words=words: running.parse(words=[words]) for words in sentences))
        assert running.metric("pointree_batch_requests_count") < 5
        assert running.metric("pointree_batch_requests_sum") == 10
        for words, reply in zip(sentences, replies, strict=True):
            [expected] = parser.parse([words])
            assert [token["head"] for token in reply.json()[0]["tokens"]] == expected.heads


def test_requests_with_other_options_do_not(serve: Serve) -> None:
    with serve(wait=0.5) as running:
        in_parallel(
            lambda: running.parse(text="Hello."),
            lambda: running.parse(text="Hello.", beam=2),
            lambda: running.parse(text="Hello.", projective=True),
        )
        assert running.metric("pointree_batch_requests_count") == 3


def test_one_request_does_not_wait_for_company_longer_than_it_may(serve: Serve) -> None:
    with serve(wait=0.0) as running:
        running.parse(words=[["a"]])
        started = time.monotonic()
        running.parse(words=[["a"]])
        assert time.monotonic() - started < PATIENCE / 2


def test_a_long_text_does_not_block_short_ones(serve: Serve) -> None:
    with serve() as running:
        long = {"words": [["word"] * 20] * 1_000, "stream": True}
        with running.client.stream("POST", "/v1/parse", json=long) as reply:
            lines = reply.iter_lines()
            next(lines)
            assert running.parse(text="Hello.").status_code == 200
            assert len(running.service.batcher) == 1, "the long text is still on its way"
            assert sum(1 for _ in lines) == 999


def test_a_fault_stays_with_its_request(serve: Serve) -> None:
    with serve(wait=0.5) as running:
        good, bad = in_parallel(lambda: running.parse(words=[["good"]]), lambda: running.parse(words=[["a\u0000b"]]))
        assert (good.status_code, bad.status_code) == (200, 422)


def test_a_defect_is_logged_and_told_to_nobody(
    serve: Serve, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(*_args: Any) -> None:
        raise RuntimeError("secret")

    with serve() as running:
        monkeypatch.setattr("pointree.serving.rounds.run_task", fail)
        reply = running.parse(text="Hello.")
        monkeypatch.undo()
        assert reply.status_code == 500
        assert "secret" not in reply.text
        assert reply.json()["error"]["code"] == "internal"
        assert "RuntimeError: secret" in caplog.text
        assert running.parse(text="Hello.").status_code == 200


@pytest.mark.parametrize("stream", [True, False])
def test_a_client_that_goes_away_stops_its_work(serve: Serve, stream: bool) -> None:
    with serve() as running:
        body = json.dumps({"words": [["word"] * 20] * 2_000, "stream": stream}).encode()
        head = f"POST /v1/parse HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: {len(body)}"
        with running.connect() as connection:
            connection.sendall(f"{head}\r\n\r\n".encode() + body)
            if stream:
                connection.recv(1000)
            assert eventually(lambda: running.metric("pointree_words_total") > 0)
        assert eventually(lambda: len(running.service.batcher) == 0)
        words = running.metric("pointree_words_total")
        assert words < 40_000
        assert running.parse(text="Hello.").status_code == 200
        assert running.metric("pointree_words_total") < words + 5_100, "at most the round that was under way"


class TestRounds:
    """What goes into a round, without threads."""

    @pytest.fixture
    def batcher(self) -> Any:
        from pointree.serving.batcher import Batcher
        from pointree.serving.limits import Limits

        return Batcher(Limits(), wait_seconds=0)

    @pytest.fixture
    def unhurried(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Reading takes no time that counts, so that a pause of a busy machine does not end a slice early."""
        monkeypatch.setattr("pointree.serving.rounds._READ_SECONDS", float("inf"))
        monkeypatch.setattr("pointree.serving.job._MAX_TAKE_SECONDS", float("inf"))

    @staticmethod
    def job(n_sentences: int, length: int = 10) -> Any:
        import asyncio

        from pointree.serving.job import Job
        from pointree.serving.limits import Limits
        from pointree.serving.task import Task

        sentences = (Sentence.from_words(["a"] * length) for _ in range(n_sentences))

        async def make() -> Job:
            return Job(None, Task(), sentences, str, Limits())  # type: ignore[arg-type]

        return asyncio.run(make())

    def test_a_pause_in_the_reading_is_no_end(self) -> None:
        job = self.job(1)
        job._sentences = iter([None, Sentence.from_words(["a"]), None, None])
        assert [sentence.forms for sentence in job.take(100)] == [["a"]]
        assert job.exhausted
        assert job.take(100) == []

    def test_reading_without_a_sentence_gives_others_their_turn(self) -> None:
        job = self.job(1)
        job._sentences = itertools.repeat(None)
        assert job.take(100) == []
        assert not job.exhausted

    @pytest.mark.usefixtures("unhurried")
    def test_each_job_has_a_slice_and_then_what_room_is_left(self) -> None:
        jobs = [self.job(1_000), self.job(3), self.job(1_000)]
        parts = fill_parts(jobs, 2_500)
        assert [len(part.sentences) for part in parts] == [125, 3, 125]
        assert [part.ends for part in parts] == [False, True, False]

    @pytest.mark.usefixtures("unhurried")
    def test_a_full_round_leaves_others_for_the_next(self) -> None:
        jobs = [self.job(1_000) for _ in range(15)]
        parts = fill_parts(jobs, 2_500)
        assert [part.job for part in parts] == jobs[:10]

    @pytest.mark.usefixtures("unhurried")
    def test_who_had_least_work_is_next(self, batcher: Any) -> None:
        long, short, later = self.job(1_000), self.job(1), self.job(1)
        batcher._jobs.extend([long, short, later])
        long.attained, short.attained, later.attained = 3.0, 0.0, 0.1
        assert batcher._next_turn() == [short, later, long]

    @pytest.mark.usefixtures("unhurried")
    def test_a_small_request_goes_before_large_ones_that_had_no_turn_yet(self, batcher: Any) -> None:
        """With options of their own, large requests share no round, and each would take a slice before it."""
        large = [self.job(1_000) for _ in range(20)]
        for beam, job in enumerate(large, 2):
            job.task, job.size = Task(ParseOptions(beam=beam)), 1_000_000
        small = self.job(1)
        batcher._jobs.extend([*large, small])
        assert batcher._next_turn() == [small]

    @pytest.mark.usefixtures("unhurried")
    def test_who_waits_longest_is_not_forgotten(self, batcher: Any) -> None:
        long, short = self.job(1_000), self.job(1)
        long.attained, long.served = 3.0, 0.0
        batcher._jobs.extend([short, long])
        assert [batcher._next_turn()[0] for _ in range(4)] == [short, short, short, long]

    @pytest.mark.usefixtures("unhurried")
    def test_of_requests_that_fit_into_a_round_the_first_is_first(self, batcher: Any) -> None:
        """A trace of two words once waited for as long as there were parses of two words."""
        trace, *parses = (self.job(1) for _ in range(4))
        trace.task, trace.size, trace.attained = Task(trace=True), 600, 0.05
        for job in parses:
            job.size = 40
        batcher._jobs.extend([*parses, trace])
        assert batcher._next_turn() == [trace]
        trace.served = time.monotonic() + 60
        assert batcher._next_turn() == parses

    @pytest.mark.usefixtures("unhurried")
    def test_a_sentence_that_costs_much_comes_alone(self) -> None:
        job = self.job(0)
        job._sentences = iter([Sentence.from_words(["a"] * n) for n in (5, 5, 900, 5)])
        assert [len(sentence) for sentence in job.take(250)] == [5, 5]
        assert [len(sentence) for sentence in job.take(250)] == [900]
        assert [len(sentence) for sentence in job.take(250)] == [5]

    def test_reading_that_takes_long_ends_the_round(self) -> None:
        slow = self.job(0)
        slow._sentences = (time.sleep(0.06) or Sentence.from_words(["a"]) for _ in range(1_000))
        [part] = fill_parts([slow], 2_500)
        assert len(part.sentences) < 10

    def test_a_slow_model_gets_small_rounds(self) -> None:
        from pointree.serving.rounds import Pace

        pace, job = Pace(), self.job(1)
        for _ in range(30):
            pace.learn(job, 1_000, 5.0)
        assert pace.budget(job) == 100
        for _ in range(30):
            pace.learn(job, 1_000, 0.01)
        assert pace.budget(job) == 2_500


class TestSlices:
    """Large work leaves room for small work, whatever it is."""

    @pytest.mark.parametrize(
        ("route", "body"),
        [
            ("/v1/trace", {"conllu": _conllu(190) * 20, "beam": 32}),
            ("/v1/draw", {"conllu": _conllu(190) * 60, "beam": 32}),
            ("/v1/parse", {"words": [["word"] * 900] * 20, "beam": 32}),
        ],
    )
    def test_a_small_request_does_not_wait_for_a_large_one(self, serve: Serve, route: str, body: Any) -> None:
        with serve() as running:
            running.parse(words=[["a"]])
            done = threading.Event()

            def ask() -> None:
                running.client.post(route, json=body)
                done.set()

            thread = threading.Thread(target=ask)
            thread.start()
            assert eventually(lambda: any(each.started for each in running.service.batcher._rounds))
            for _ in range(3):
                assert running.parse(words=[["a", "b"]], beam=32).status_code == 200
                assert not done.is_set(), "the small request came first"
            for job in list(running.service.batcher._jobs):
                job.cancelled = True
            assert eventually(lambda: not running.service.batcher._rounds)
            for job in list(running.service.batcher._jobs):
                job.finish()
            thread.join(PATIENCE)

    def test_a_client_that_goes_away_stops_a_trace(self, serve: Serve) -> None:
        with serve() as running:
            body = json.dumps({"conllu": _conllu(190) * 5, "beam": 32}).encode()
            head = (
                f"POST /v1/trace HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: {len(body)}"
            )
            with running.connect() as connection:
                connection.sendall(f"{head}\r\n\r\n".encode() + body)
                assert eventually(lambda: any(each.started for each in running.service.batcher._rounds))
            assert eventually(lambda: len(running.service.batcher) == 0)
            assert eventually(lambda: not running.service.batcher._rounds)
            assert running.metric("pointree_words_total") < 5 * 190

    def test_time_ends_the_work_of_one_sentence(self, serve: Serve) -> None:
        with serve(seconds=0.5) as running:
            assert running.client.post("/v1/trace", json={"conllu": _conllu(190), "beam": 32}).status_code == 504
            assert eventually(lambda: not running.service.batcher._rounds)
            assert running.metric("pointree_words_total") == 0


class Remembering:
    """A writer that counts, as writers with a state do, and fails at sentences of some length."""

    def __init__(self, fails_at: int = 0) -> None:
        self.fails_at = fails_at
        self.calls = 0

    def __call__(self, sentence: Sentence) -> str:
        self.calls += 1
        if len(sentence) == self.fails_at:
            raise PointreeError("cannot be drawn")
        return str(self.calls)


def test_what_cannot_be_rendered_fails_alone_and_nothing_is_rendered_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    def run(_parser: Any, sentences: Any, _task: Any) -> Any:
        yield
        return [[sentence] for sentence in sentences]

    monkeypatch.setattr("pointree.serving.rounds.run_task", run)
    jobs = [TestRounds.job(2, length=3), TestRounds.job(2, length=4)]
    delivered: list[list[str]] = [[], []]
    for job, render, texts in zip(jobs, (Remembering(), Remembering(fails_at=4)), delivered, strict=True):
        monkeypatch.setattr(job, "render", render)
        monkeypatch.setattr(job, "deliver", texts.extend)
    parts = fill_parts(jobs, 2_500)
    assert Round(parts).run(PATIENCE)
    assert delivered == [["1", "2"], []]
    assert parts[0].error is None
    assert str(parts[1].error) == "cannot be drawn"
