"""The service's own interface: `POST /v1/parse` and `GET /v1/models`."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, Iterator
from contextlib import aclosing

from fastapi import APIRouter, Request
from starlette.responses import Response, StreamingResponse

from pointree.rendering.json_format import to_line
from pointree.serving.bodies import json_array, json_body, read_json
from pointree.serving.failures import check_beam, error_body, from_error
from pointree.serving.inputs import from_conllu, from_text, from_words
from pointree.serving.job import Job, Render
from pointree.serving.limits import Limits
from pointree.serving.registry import ServedModel
from pointree.serving.schemas import ModelInfo, ModelList, ParseRequest, error_replies
from pointree.serving.service import Service, while_connected
from pointree.treebank.conllu import format_sentence
from pointree.treebank.sentence import Sentence

__all__ = ["parse_router"]

CONLLU, JSON, NDJSON = "text/x-conllu; charset=utf-8", "application/json", "application/x-ndjson"


_RENDER: dict[str, Render] = {"json": to_line, "conllu": format_sentence}

_PARSED = {
    "description": "The parsed sentences, byte for byte what `pointree parse --to json` or `--to conllu` writes.",
    "content": {
        "application/json": {"schema": {"type": "array", "items": {"type": "object"}}},
        "application/x-ndjson": {"schema": {"type": "string"}},
        "text/x-conllu": {"schema": {"type": "string"}},
    },
}


def parse_router(service: Service) -> APIRouter:
    """The routes under `/v1`."""
    router = APIRouter(prefix="/v1", tags=["pointree"])

    @router.post(
        "/parse",
        response_class=Response,
        responses={200: _PARSED, **error_replies(400, 401, 404, 408, 413, 415, 422, 500, 503, 504)},
        openapi_extra=json_body(ParseRequest),
    )
    async def parse(request: Request) -> Response:
        """Parse text, CoNLL-U or lists of words."""
        asked = await read_json(request, ParseRequest, service.limits)
        model = service.registry.get(asked.model)
        check_beam(service.limits, beam=asked.beam, n_best=asked.n_best)
        sentences = _sentences(asked, model, service.limits)
        n_bytes = len(await request.body())
        job = service.new_job(model, asked.task(), sentences, _RENDER[asked.output], n_bytes=n_bytes)
        headers = {"X-Pointree-Model": model.name}
        if asked.stream:
            chunks = _ndjson(service, job, request) if asked.output == "json" else _conllu(service, job)
            media_type = NDJSON if asked.output == "json" else CONLLU
            return StreamingResponse(await _started(chunks, request), headers=headers, media_type=media_type)
        texts = await service.collect(job, request)
        if asked.output == "conllu":
            return Response("".join(texts), headers=headers, media_type=CONLLU)
        return Response(json_array(texts), headers=headers, media_type=JSON)

    @router.get("/models", responses=error_replies(401, 503))
    async def models() -> ModelList:
        """List the models by the names under which requests can ask for them."""
        infos = [
            ModelInfo(
                name=model.name,
                order=model.parser.config.decoder.order,
                orders=list(dict.fromkeys((model.parser.config.decoder.order, *model.parser.config.decoder.orders))),
                fusion=model.parser.config.decoder.fusion,
                reads_text=model.parser.reads_text,
            )
            for model in service.registry
        ]
        return ModelList(models=infos, default=service.registry.default.name)

    return router


def _sentences(asked: ParseRequest, model: ServedModel, limits: Limits) -> Iterator[Sentence | None]:
    if asked.text is not None:
        return from_text(asked.text, model.parser, limits, sentences=asked.sentences)
    if asked.conllu is not None:
        return from_conllu(asked.conllu, limits)
    return from_words(asked.words or [])


async def _started(chunks: AsyncGenerator[str, None], request: Request) -> AsyncGenerator[str, None]:
    """The chunks, the first of which is there: what fails before it still gets a status of its own."""
    first = await while_connected(request, anext(chunks, ""))

    async def all_chunks() -> AsyncGenerator[str, None]:
        async with aclosing(chunks):
            yield first
            async for chunk in chunks:
                yield chunk

    return all_chunks()


async def _ndjson(service: Service, job: Job, request: Request) -> AsyncGenerator[str, None]:
    """One object a line; where the text breaks off, the last line has the error."""
    sent = False
    try:
        async with aclosing(service.stream(job)) as results:
            async for texts in results:
                yield "".join(f"{text}\n" for text in texts)
                sent = True
    except Exception as error:
        if not sent:
            raise
        body = error_body(from_error(error), request.scope.get("request_id"))
        yield json.dumps(body, ensure_ascii=False) + "\n"


async def _conllu(service: Service, job: Job) -> AsyncGenerator[str, None]:
    """Sentence after sentence; where the text breaks off, so does the connection: CoNLL-U has no place for errors."""
    async with aclosing(service.stream(job)) as results:
        async for texts in results:
            yield "".join(texts)
