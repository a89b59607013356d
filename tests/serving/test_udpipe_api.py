"""`/process` and `/models` as clients of the public UDPipe service ask them."""

from __future__ import annotations

import email.mime.multipart
import email.mime.nonmultipart
import email.policy
import json
import threading
import time
import urllib.parse
import urllib.request
from pathlib import Path
from typing import Any

import pytest

from pointree.rendering import render
from pointree.treebank.conllu import format_sentence

pytest.importorskip("fastapi", reason="needs pip install 'pointree[serve]'")
pytest.importorskip("httpx", reason="needs httpx")

TEXT = "John and Mary play tennis together. Příliš žluťoučký <b>kůň</b>.\n\nA paragraph."
ALL = {"tokenizer": "", "tagger": "", "parser": ""}


@pytest.fixture
def expected(parser: Any) -> str:
    return "".join(format_sentence(sentence, ranges=False) for sentence in parser.parse_text(TEXT))


def test_models_as_documented(served: Any) -> None:
    for reply in (served.client.get("/models"), served.client.post("/models")):
        assert reply.json() == {
            "models": {
                "tiny-test": ["tokenizer", "tagger", "parser"],
                "other": ["tokenizer", "tagger", "parser"],
            },
            "default_model": "tiny-test",
        }
        assert "access-control-allow-origin" not in reply.headers


def test_the_reply_has_the_three_documented_keys(served: Any, expected: str) -> None:
    reply = served.client.post("/process", data={"data": TEXT, **ALL})
    assert reply.headers["content-type"] == "application/json"
    assert list(reply.json()) == ["model", "acknowledgements", "result"]
    assert reply.json()["model"] == "tiny-test"
    assert reply.json()["acknowledgements"] == ["http://ufal.mff.cuni.cz/udpipe#udpipe_acknowledgements"]
    assert reply.json()["result"] == expected


def test_a_query_with_bare_flags(served: Any, expected: str) -> None:
    """`process?tokenizer&tagger&parser&data=…`, as browsers and urllib ask."""
    url = f"{served.client.base_url}/process?tokenizer&tagger&parser&data={urllib.parse.quote(TEXT)}"
    with urllib.request.urlopen(url, timeout=60) as reply:
        assert json.load(reply)["result"] == expected


def test_files_as_curl_sends_them(served: Any, expected: str) -> None:
    """`curl -F data=@file -F model=tiny -F tokenizer= -F tagger= -F parser=`."""
    files = {"data": ("input.txt", TEXT.encode(), "text/plain")}
    reply = served.client.post("/process", files=files, data={"model": "tiny", **ALL})
    assert reply.json()["result"] == expected


def test_a_form_as_the_client_of_udpipe_2_makes_it(served: Any, expected: str) -> None:
    message = email.mime.multipart.MIMEMultipart("form-data", policy=email.policy.HTTP)
    for name, value in {"input": "conllu", "output": "conllu", "data": TEXT, **ALL}.items():
        payload = email.mime.nonmultipart.MIMENonMultipart("text", "plain")
        payload.add_header("Content-Disposition", f'form-data; name="{name}"')
        payload.add_header("Content-Transfer-Encoding", "8bit")
        payload.set_payload(value, charset="utf-8")
        message.attach(payload)
    body = message.as_bytes().split(b"\r\n\r\n", maxsplit=1)[1]
    request = urllib.request.Request(
        f"{served.client.base_url}/process", headers={"Content-Type": message["Content-Type"]}, data=body
    )
    with urllib.request.urlopen(request, timeout=60) as reply:
        assert json.load(reply)["result"] == expected


def test_conllu_is_the_usual_input_and_its_tags_are_kept(served: Any, parser: Any, ewt: Path) -> None:
    content = ewt.read_text(encoding="utf-8")
    from pointree.treebank.conllu import read_conllu

    result = served.client.post("/process", data={"data": content, "parser": ""}).json()["result"]
    assert result == render(parser.parse(list(read_conllu(ewt))), "conllu")
    retagged = served.client.post("/process", data={"data": content, "parser": "", "tagger": ""}).json()["result"]
    assert retagged == render(parser.parse(list(read_conllu(ewt)), retag=True), "conllu")


@pytest.mark.parametrize(
    ("fmt", "data"),
    [
        ("horizontal", "John plays tennis .\nIt rains .\n"),
        ("vertical", "John\nplays\ntennis\n.\n\nIt\nrains\n.\n\n"),
        ("vertical", "John\r\nplays\r\ntennis\r\n.\r\n\r\nIt\r\nrains\r\n.\r\n"),
        ("generic_tokenizer", "John plays tennis. It rains."),
    ],
)
def test_words_in_the_formats_of_udpipe(served: Any, parser: Any, fmt: str, data: str) -> None:
    reply = served.client.post("/process", data={"data": data, "input": fmt, "tagger": "", "parser": ""})
    rows = [line.split("\t") for line in reply.json()["result"].splitlines() if line[:1].isdigit()]
    sentences = [["John", "plays", "tennis", "."], ["It", "rains", "."]]
    parsed = parser.parse(sentences)
    assert [row[1] for row in rows] == [word for sentence in sentences for word in sentence]
    assert [int(row[6]) for row in rows] == [head for sentence in parsed for head in sentence.heads]


def test_steps_that_are_not_asked_for_are_not_done(served: Any) -> None:
    def columns(**fields: str) -> list[list[str]]:
        result = served.client.post("/process", data={"data": "It rains.", **fields}).json()["result"]
        return [line.split("\t") for line in result.splitlines() if line[:1].isdigit()]

    assert all(row[3] == "_" and row[6] == "_" for row in columns(tokenizer=""))
    assert all(row[3] != "_" and row[6] == "_" for row in columns(tokenizer="", tagger=""))
    assert all(row[3] != "_" and row[6] != "_" for row in columns(tokenizer="", tagger="", parser=""))
    assert all(row[6] == "_" for row in columns(tokenizer="", tagger="none", parser="none"))


def test_presegmented_text(served: Any) -> None:
    fields = {"data": "One. Two.\nThree\n", "tokenizer": "presegmented"}
    assert served.client.post("/process", data=fields).json()["result"].count("# sent_id") == 2


def test_ranges_say_where_tokens_stand(served: Any) -> None:
    def miscs(tokenizer: str) -> list[str]:
        fields = {"data": "\ufeffIt  rains.", "tokenizer": tokenizer}
        result = served.client.post("/process", data=fields).json()["result"]
        return [line.split("\t")[9] for line in result.splitlines() if line[:1].isdigit()]

    assert miscs("ranges") == ["TokenRange=1:3", "SpaceAfter=No|TokenRange=5:10", "TokenRange=10:11"]
    assert miscs("presegmented;ranges") == miscs("ranges")
    assert miscs("") == ["_", "SpaceAfter=No", "_"]


@pytest.mark.parametrize(
    ("output", "expected"),
    [("horizontal", "It rains .\n"), ("vertical", "It\nrains\n.\n\n"), ("plaintext", "It rains .")],
)
def test_output_formats(served: Any, output: str, expected: str) -> None:
    fields = {"data": "It rains .", "input": "horizontal", "parser": "", "tagger": "", "output": output}
    assert served.client.post("/process", data=fields).json()["result"].strip() == expected.strip()


def test_matxin_ends_its_document(served: Any) -> None:
    fields = {"data": "It rains .", "input": "horizontal", "parser": "", "tagger": "", "output": "matxin"}
    result = served.client.post("/process", data=fields).json()["result"]
    assert result.startswith("<corpus>")
    assert result.rstrip().endswith("</corpus>")


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"tokenizer": ""}, "data: this field is required"),
        ({"data": "a", "model": "english"}, "model: expected one of tiny-test, other, found 'english'"),
        ({"data": "a", "model": "../../etc/passwd"}, "model: expected one of tiny-test, other"),
        ({"data": "a", "input": "xml"}, "input: expected one of conllu, generic_tokenizer, horizontal, vertical"),
        ({"data": "a", "output": "xml", "input": "vertical"}, "output: expected one of conllu, epe, matxin"),
        ({"data": "1\ta", "parser": ""}, "data:1: "),
        ({"data": "a\u0000", "input": "vertical"}, "data: expected text, found U+0000"),
    ],
)
def test_faults_are_400_as_udpipe_answers(served: Any, fields: dict[str, str], message: str) -> None:
    reply = served.client.post("/process", data=fields)
    assert reply.status_code == 400
    assert reply.json()["error"]["message"].startswith(message)


def test_data_are_not_taken_from_other_kinds_of_body(served: Any) -> None:
    reply = served.client.post("/process", json={"data": "a"})
    assert reply.status_code == 415
    assert "application/x-www-form-urlencoded" in reply.json()["error"]["message"]


def test_invalid_utf_8_is_refused(served: Any) -> None:
    headers = {"Content-Type": "application/x-www-form-urlencoded"}
    assert served.client.post("/process", content=b"tokenizer&data=%ff", headers=headers).status_code == 400
    assert served.client.post("/process", content=b"data=\xff", headers=headers).status_code == 400
    files = {"data": ("f", b"\xff")}
    assert served.client.post("/process", files=files).status_code == 400


@pytest.mark.parametrize("data", ["." * 9_000, "a." * 4_500, "a" * 9_000])
@pytest.mark.parametrize("fields", [{"tokenizer": ""}, {"input": "generic_tokenizer"}])
def test_text_without_white_space_holds_nobody_up(served: Any, fields: dict[str, str], data: str) -> None:
    """UDPipe holds Python's lock: a call of it must be short, whatever the text is."""
    longest = 0.0
    done = threading.Event()

    def watch() -> None:
        nonlocal longest
        last = time.process_time()  # not the clock: others may use the machine
        while not done.is_set():
            time.sleep(0.005)
            now = time.process_time()
            longest, last = max(longest, now - last), now

    watcher = threading.Thread(target=watch)
    watcher.start()
    served.client.post("/process", data={"data": data, **fields})
    done.set()
    watcher.join()
    assert longest < 1.0


@pytest.mark.parametrize("fields", [{"tokenizer": ""}, {"input": "generic_tokenizer"}, {"input": "vertical"}])
def test_long_runs_without_white_space_are_refused(served: Any, fields: dict[str, str]) -> None:
    reply = served.client.post("/process", data={"data": "." * 10_001, **fields})
    assert reply.status_code == 413
    assert reply.json()["error"]["limit"] == {"name": "word_characters", "value": 10_000}


@pytest.mark.parametrize(("fmt", "data"), [("vertical", "a\n" * 1_001), ("horizontal", "a " * 1_001)])
def test_long_sentences_are_refused_in_every_format(served: Any, fmt: str, data: str) -> None:
    reply = served.client.post("/process", data={"data": data, "input": fmt})
    assert reply.status_code == 413
    assert reply.json()["error"]["limit"]["name"] == "sentence_words"


def test_a_large_form_is_read_off_the_event_loop(served: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Four million percent signs once kept everybody waiting for more than a second."""
    from pointree.serving import udpipe_api

    threads: list[str] = []
    read = udpipe_api._fields

    def watched(*arguments: Any) -> Any:
        threads.append(threading.current_thread().name)
        return read(*arguments)

    monkeypatch.setattr(udpipe_api, "_fields", watched)
    for length in (10, 40_000):
        content = "input=horizontal&output=horizontal&data=" + "%61%20" * length
        kind = {"Content-Type": "application/x-www-form-urlencoded"}
        assert served.client.post("/process", content=content, headers=kind).status_code in (200, 413)
    assert [name.startswith("pointree-bodies") for name in threads] == [False, True]
