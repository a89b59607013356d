"""What the page shows of a parse, for everybody: `POST /v1/draw` for pictures, `POST /v1/trace` for the steps."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Annotated, Any

from fastapi import APIRouter, Request
from pydantic import ConfigDict, Field, model_validator
from starlette.responses import Response

from pointree.rendering.svg import draw_svg
from pointree.search.trace import Trace
from pointree.serving.bodies import json_array, json_body, read_json
from pointree.serving.failures import RequestError, check_beam
from pointree.serving.inputs import from_conllu, from_text
from pointree.serving.job import Render
from pointree.serving.limits import Limits
from pointree.serving.registry import ServedModel
from pointree.serving.schemas import error_replies, one_of, options_model, parse_options
from pointree.serving.service import Service
from pointree.serving.task import Task
from pointree.treebank.conllu import format_sentence
from pointree.treebank.sentence import Sentence

__all__ = ["MAX_TRACE_WORDS", "DrawRequest", "trace_router"]

MAX_TRACE_WORDS = 200
"""Words of a sentence that can be traced; the size of a trace grows with their square."""

_DrawFields: Any = options_model("DrawFields", "order", "beam", "projective", "single_root")


class DrawRequest(_DrawFields):  # type: ignore[misc]
    """Sentences in one of two forms, and how to parse them."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [{"text": "John and Mary play tennis together.", "beam": 4}],
            "oneOf": one_of(text="string", conllu="string"),
        },
    )

    text: Annotated[str | None, Field(description="Raw text; it is cut into sentences and words, and tagged.")] = None
    conllu: Annotated[str | None, Field(description="CoNLL-U; everything but HEAD and DEPREL is kept.")] = None
    model: Annotated[str | None, Field(description="A name of GET /v1/models; the default model without it.")] = None

    @model_validator(mode="after")
    def _has_one_input(self) -> DrawRequest:
        if (self.text is None) == (self.conllu is None):
            raise ValueError(f"expected one of text and conllu, found {'none' if self.text is None else 'both'}")
        return self


def _described(answer: str) -> dict[str, Any]:
    """What the description of the interface says of a route that takes a `DrawRequest`."""
    array = {"application/json": {"schema": {"type": "array", "items": {"type": "object"}}}}
    errors = error_replies(400, 401, 404, 408, 413, 415, 422, 500, 503, 504)
    replies = {200: {"description": answer, "content": array}, **errors}
    return {"response_class": Response, "responses": replies, "openapi_extra": json_body(DrawRequest)}


def trace_router(service: Service) -> APIRouter:
    """The routes under `/v1` that tell of a parse."""
    router = APIRouter(prefix="/v1", tags=["pointree"])

    @router.post("/draw", **_described("Pictures."))
    async def draw(request: Request) -> Response:
        """Parse sentences and draw each: its `text`, its `conllu`, and its picture as `pointree parse --to svg`."""
        asked = await read_json(request, DrawRequest, service.limits)
        model = service.registry.get(asked.model)
        return await answer(asked, request, model, Task(parse_options(asked)), _draw)

    @router.post("/trace", **_described("Traces."))
    async def trace(request: Request) -> Response:
        """Parse sentences and tell of every step, as `pointree parse --to trace` does."""
        asked = await read_json(request, DrawRequest, service.limits)
        model = service.registry.get(asked.model)

        def tell(trace: Trace) -> Iterator[str]:
            return _json_pieces(trace, model.name)

        return await answer(asked, request, model, Task(parse_options(asked), trace=True), tell)

    async def answer(asked: DrawRequest, request: Request, model: ServedModel, task: Task, render: Render) -> Response:
        limits = service.limits
        check_beam(limits, beam=asked.beam)
        sentences = _sentences(asked, model, limits)
        if task.trace:
            sentences = map(_check_length, sentences)
        job = service.new_job(model, task, sentences, render, n_bytes=len(await request.body()))
        texts = await service.collect(job, request)
        return Response(json_array(texts), headers={"X-Pointree-Model": model.name}, media_type="application/json")

    return router


def _sentences(asked: DrawRequest, model: ServedModel, limits: Limits) -> Iterator[Sentence | None]:
    if asked.text is not None:
        return from_text(asked.text, model.parser, limits)
    return from_conllu(asked.conllu or "", limits)


def _draw(sentence: Sentence) -> str:
    drawn: dict[str, Any] = {"text": sentence.text, "conllu": format_sentence(sentence), "svg": draw_svg(sentence)}
    return json.dumps(drawn)


def _json_pieces(trace: Trace, model: str) -> Iterator[str]:
    """A trace as JSON, a step at a time: a long sentence with a wide beam makes megabytes."""
    outline = replace(trace, model=model, steps=[]).to_object()
    separator = "{"
    for key, value in outline.items():
        yield f"{separator}{json.dumps(key)}: "
        separator = ", "
        if key != "steps":
            yield json.dumps(value)
            continue
        yield "["
        for number, step in enumerate(trace.steps):
            yield (", " if number else "") + json.dumps(step.to_object())
        yield "]"
    yield "}"


def _check_length(sentence: Sentence | None) -> Sentence | None:
    if sentence is not None and len(sentence) > MAX_TRACE_WORDS:
        message = f"expected sentences of at most {MAX_TRACE_WORDS} words to trace, found one of {len(sentence)}"
        raise RequestError(413, "trace_words", message, limit=("trace_words", MAX_TRACE_WORDS))
    return sentence
