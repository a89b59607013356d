"""`/v1/parse` and `/v1/models` over a socket: the same answers as the command line, in every form."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pointree.rendering import render
from pointree.text.reading import segment_text
from pointree.treebank.conllu import format_sentence, read_conllu

pytest.importorskip("fastapi", reason="needs pip install 'pointree[serve]'")
pytest.importorskip("httpx", reason="needs httpx")

Run = Callable[..., Any]

TEXT = "John and Mary play tennis together. It <b>rains</b> & snows.\n\nA new paragraph begins: résumé, 東京.\n"


_PROBABILITY = re.compile(r'(?<=Prob=|ob": )[0-9.]+')


def _without_probabilities(text: str) -> str:
    return _PROBABILITY.sub("", text)


@pytest.fixture
def run_parse(model_folder: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> Run:
    """What `pointree parse` writes for the content of a file."""
    from pointree.cli.main import main

    def run(content: str, *options: str) -> str:
        file = tmp_path / "input"
        file.write_text(content, encoding="utf-8", newline="")
        capfd.readouterr()
        with pytest.raises(SystemExit) as left:
            main(["parse", str(file), "--model", str(model_folder), "--precision", "fp32", *options])
        out, err = capfd.readouterr()
        assert left.value.code in (0, None), err
        return out

    return run


@pytest.mark.parametrize("output", ["conllu", "json"])
def test_text_gives_the_bytes_of_the_command_line(served: Any, run_parse: Run, output: str) -> None:
    reply = served.parse(text=TEXT, output=output)
    assert reply.status_code == 200
    assert reply.text == run_parse(TEXT, "--from", "text", "--to", output)
    assert reply.headers["x-pointree-model"] == "tiny-test"


@pytest.mark.parametrize("breaks", ["auto", "line", "presegmented"])
def test_a_model_with_a_segmenter_cuts_a_long_paragraph_as_the_command_line_does(
    model_folder: Path, tmp_path: Path, ewt: Path, breaks: str
) -> None:
    import torch

    import pointree
    from pointree.nn.segmenter import SegmenterNetwork
    from pointree.text.alphabet import Alphabet
    from pointree.text.char_segmenter import SegmenterRules
    from pointree.text.expansion import Expansion

    from .conftest import running

    made = pointree.load(model_folder, engine="torch")
    torch.manual_seed(1)
    rules = SegmenterRules(Alphabet("abcdefghijklmnopqrstuvwxyz.,"), Expansion())
    made.network.segmenter = SegmenterNetwork(made.config.segmenter, rules)
    made.text_model = None
    made.save(tmp_path / "model")
    parser = pointree.load(tmp_path / "model")
    assert parser.segmenter is not None
    words = " ".join(sentence.text for sentence in read_conllu(ewt)).split()
    text = " ".join(words * (20_000 // sum(map(len, words)) + 1))
    assert len(text) > 20_000
    lines = text if breaks == "auto" else text.replace(". ", ".\n")
    expected = "".join(map(format_sentence, parser.parse_text(lines, sentences=breaks)))
    with running(parser) as service:
        assert service.parse(text=lines, output="conllu", sentences=breaks).text == expected


@pytest.mark.parametrize("output", ["conllu", "json"])
def test_conllu_gives_the_bytes_of_the_command_line(served: Any, run_parse: Run, ewt: Path, output: str) -> None:
    content = ewt.read_text(encoding="utf-8")
    reply = served.parse(conllu=content, output=output, beam=3, probabilities=True, single_root=False)
    options = ("--from", "conllu", "--to", output, "--beam", "3", "--probabilities", "--multi-root")
    expected = run_parse(content, *options)
    assert _without_probabilities(reply.text) == _without_probabilities(expected)
    found, wanted = (list(map(float, _PROBABILITY.findall(text))) for text in (reply.text, expected))
    assert found == pytest.approx(wanted, abs=2e-4), "rounding depends on what is parsed together"


def test_options_have_the_effect_of_those_of_the_command_line(served: Any, run_parse: Run, ewt: Path) -> None:
    content = "".join(ewt.read_text(encoding="utf-8").split("\n\n")[0]) + "\n\n"
    reply = served.parse(conllu=content, output="conllu", n_best=4, retag=True, projective=True)
    options = ("--from", "conllu", "--to", "conllu", "--n-best", "4", "--retag", "--projective")
    assert reply.text == run_parse(content, *options)
    assert reply.text.count("# tree_rank = ") == 4


def test_conllu_without_comments_and_last_blank_line(served: Any, run_parse: Run) -> None:
    content = "1\tJohn\t_\t_\t_\t_\t_\t_\t_\t_\n2\tplays\t_\t_\t_\t_\t_\t_\t_\t_\n"
    reply = served.parse(conllu=content, output="conllu", n_best=2)
    assert reply.text == run_parse(content, "--from", "conllu", "--to", "conllu", "--n-best", "2")
    assert reply.text.count("# tree_rank = ") == reply.text.count("\n\n") + 1 == 2


def test_presegmented_text(served: Any, run_parse: Run) -> None:
    reply = served.parse(text="One line. Two.\nAnother\n", sentences="presegmented", output="conllu")
    assert reply.text == run_parse(
        "One line. Two.\nAnother\n", "--from", "text", "--to", "conllu", "--sentences", "presegmented"
    )
    assert reply.text.count("# sent_id") == 2


def test_words(served: Any, parser: Any) -> None:
    words = [["John", "plays", "tennis"], ["New York", "<script>alert(1)</script>"]]
    reply = served.parse(words=words)
    assert reply.json() == json.loads(render(parser.parse(words), "json"))
    assert reply.json()[1]["tokens"][1]["form"] == "<script>alert(1)</script>"
    assert reply.headers["content-type"] == "application/json"


def test_nothing_gives_nothing(served: Any) -> None:
    assert served.parse(text=" \n ").text == "[]\n"
    assert served.parse(conllu="", output="conllu").text == ""
    assert served.parse(words=[], stream=True).text == ""


@pytest.mark.parametrize("output", ["conllu", "json"])
def test_streams_say_the_same_as_whole_answers(served: Any, ewt: Path, output: str) -> None:
    content = ewt.read_text(encoding="utf-8")
    whole = served.parse(conllu=content, output=output)
    streamed = served.parse(conllu=content, output=output, stream=True)
    assert streamed.headers["transfer-encoding"] == "chunked"
    if output == "conllu":
        assert streamed.text == whole.text
    else:
        assert streamed.headers["content-type"] == "application/x-ndjson"
        assert [json.loads(line) for line in streamed.text.splitlines()] == whole.json()


@pytest.mark.slow
def test_a_long_text_comes_back_in_pieces(served: Any, ewt: Path) -> None:
    text = "\n".join(sentence.text for sentence in read_conllu(ewt)) * 10
    request = {"text": text, "sentences": "presegmented", "stream": True}
    with served.client.stream("POST", "/v1/parse", json=request) as reply:
        chunks = list(reply.iter_raw())
    assert len(chunks) > 2
    lines = b"".join(chunks).decode().splitlines()
    assert len(lines) == len(text.splitlines())
    assert json.loads(lines[-1])["tokens"]


@pytest.mark.slow
def test_fifty_thousand_words(served: Any, parser: Any) -> None:
    text = "John and Mary play tennis together , and it rains .\n" * 4_546
    reply = served.parse(text=text, sentences="presegmented", output="conllu")
    assert reply.status_code == 200
    assert reply.text.count("# sent_id") == 4_546
    assert sum(line[:1].isdigit() for line in reply.text.splitlines()) > 50_000
    [first] = parser.parse(list(segment_text(text.splitlines()[0], parser.text_model, sentences="presegmented")))
    assert reply.text.startswith(render(first, "conllu"))


def test_fifty_thousand_words_in_one_sentence_are_too_many(served: Any) -> None:
    reply = served.parse(words=[["word"] * 50_000])
    assert reply.status_code == 413
    assert reply.json()["error"]["limit"] == {"name": "sentence_words", "value": 1_000}


def test_models_are_listed_and_chosen_by_name(served: Any) -> None:
    listed = served.client.get("/v1/models").json()
    assert listed["default"] == "tiny-test"
    assert [model["name"] for model in listed["models"]] == ["tiny-test", "other"]
    assert all(model["reads_text"] for model in listed["models"])
    assert served.parse(text="Hi.", model="other").headers["x-pointree-model"] == "other"


@pytest.mark.parametrize(
    "name", ["../tiny-test", "/etc/passwd", "tiny", "", "TINY-TEST", "tiny-test\u0000", "a\r\nb: c"]
)
def test_unknown_models_are_not_looked_for_anywhere(served: Any, name: str) -> None:
    reply = served.parse(text="Hi.", model=name)
    assert reply.status_code == 404
    error = reply.json()["error"]
    assert error["code"] == "unknown_model"
    assert "expected one of tiny-test, other" in error["message"]
    assert "\n" not in error["message"]


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({}, "expected one of text, conllu and words, found none"),
        ({"text": "a", "words": [["b"]]}, "expected one of text, conllu and words, found text and words"),
        ({"text": 3}, "body.text: "),
        ({"text": "a", "beam": "3"}, "body.beam: "),
        ({"text": "a", "beam": 0}, "body.beam: "),
        ({"text": "a", "beam": 1.5}, "body.beam: "),
        ({"text": "a", "stream": 1}, "body.stream: "),
        ({"text": "a", "output": "xml"}, "body.output: "),
        ({"text": "a", "colour": True}, "body.colour: "),
        ({"words": [[]]}, "body.words.0: "),
        ({"words": [["a", ""]]}, "body.words.0.1: "),
        ({"words": [["a\tb"]]}, "word 1: expected text without tabs and line ends"),
        ({"words": [["a\u0000b"]]}, "word 1: expected text, found U+0000"),
        ({"conllu": "1\ta\n\n"}, "conllu:1: "),
        ({"conllu": "1\ta\n\n", "stream": True}, "conllu:1: "),
        ({"text": "a \ud800 b"}, ""),
    ],
)
def test_bad_requests_say_where_and_why(served: Any, fields: dict[str, Any], expected: str) -> None:
    reply = served.client.post(
        "/v1/parse", content=json.dumps(fields).encode(), headers={"Content-Type": "application/json"}
    )
    assert reply.status_code == 422
    error = reply.json()["error"]
    assert (error["code"], error["limit"]) == ("invalid", None)
    assert expected in error["message"]
    assert error["request_id"] == reply.headers["x-request-id"]


@pytest.mark.parametrize("route", ["/v1/parse", "/v1/draw", "/v1/trace"])
@pytest.mark.parametrize("body", [b"{", b"", b"null", b"[1]", b"\xff\xfe", b'{"text": "\xe9"}', b"[" * 100_000])
def test_what_is_no_json_object_is_refused(served: Any, route: str, body: bytes) -> None:
    reply = served.client.post(route, content=body, headers={"Content-Type": "application/json"})
    assert reply.status_code in (400, 422)
    assert reply.json()["error"]["message"]


def test_a_fault_in_the_middle_of_a_stream_is_its_last_line(served: Any, ewt: Path) -> None:
    good = ewt.read_text(encoding="utf-8")
    reply = served.parse(conllu=good + "1\tbad\n\n", stream=True)
    assert reply.status_code == 200
    *sentences, last = map(json.loads, reply.text.splitlines())
    assert len(sentences) == 60
    assert all("tokens" in sentence for sentence in sentences)
    assert last["error"]["message"].startswith("conllu:")
