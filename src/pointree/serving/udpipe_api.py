"""The REST interface of UDPipe at `/process` and `/models`, for clients that were written for its public service.

As there, a step is asked for by the presence of its field, often empty: `tokenizer`, `tagger`, `parser`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Annotated, Any

from fastapi import APIRouter, Request
from pydantic import BaseModel, Field, ValidationError
from starlette.responses import Response

from pointree.errors import PointreeError
from pointree.options import ParseOptions, SentenceBreaks
from pointree.serving.bodies import off_the_loop
from pointree.serving.failures import RequestError, from_error
from pointree.serving.forms import read_fields
from pointree.serving.inputs import from_text
from pointree.serving.limits import Limits
from pointree.serving.registry import ServedModel
from pointree.serving.schemas import error_replies
from pointree.serving.service import Service
from pointree.serving.task import Task
from pointree.serving.udpipe_formats import UdpipeWriter, read_udpipe
from pointree.treebank.sentence import Sentence

__all__ = ["ProcessFields", "udpipe_router"]

_ACKNOWLEDGEMENT = "http://ufal.mff.cuni.cz/udpipe#udpipe_acknowledgements"


class ProcessFields(BaseModel):
    """The fields of `/process`; others are ignored."""

    data: Annotated[str, Field(description="What to process.")]
    model: Annotated[str | None, Field(description="Name of a model, or its beginning before a hyphen.")] = None
    input: Annotated[
        str, Field(description="conllu, generic_tokenizer, horizontal or vertical; not used with tokenizer.")
    ] = "conllu"
    tokenizer: Annotated[str | None, Field(description="Cut raw text; options: presegmented, ranges.")] = None
    tagger: Annotated[str | None, Field(description="Tag the words.")] = None
    parser: Annotated[str | None, Field(description="Parse the sentences.")] = None
    output: Annotated[str, Field(description="conllu, epe, matxin, horizontal, plaintext or vertical.")] = "conllu"

    def sentences(self, model: ServedModel, limits: Limits) -> Iterator[Sentence | None]:
        """The sentences in the data."""
        if self.tokenizer is None:
            return read_udpipe(self.data, self.input, limits)
        breaks: SentenceBreaks = "presegmented" if "presegmented" in self._tokenizer_options else "auto"
        return from_text(self.data, model.parser, limits, sentences=breaks, name="data")

    def writer(self) -> UdpipeWriter:
        """What writes the sentences."""
        return UdpipeWriter(self.output, ranges="ranges" in self._tokenizer_options)

    @property
    def _tokenizer_options(self) -> list[str]:
        return (self.tokenizer or "").split(";")

    def task(self) -> Task:
        """The steps that are asked for; UDPipe also knows the value `none`, which asks for nothing."""
        options = ParseOptions(retag=self.tagger not in (None, "none"))
        return Task(options, parse=self.parser not in (None, "none"))


def udpipe_router(service: Service) -> APIRouter:
    """The routes of UDPipe's REST interface."""
    router = APIRouter(tags=["UDPipe"])
    replies = error_replies(400, 401, 408, 413, 415, 500, 503, 504)

    async def process(request: Request) -> Response:
        try:
            query, body = request.scope["query_string"], await request.body()
            fields = await off_the_loop(len(body), _fields, query, request.headers, body)
            model = service.registry.match(fields.model)
            writer = fields.writer()
            sentences = fields.sentences(model, service.limits)
            job = service.new_job(model, fields.task(), sentences, writer.write, n_bytes=len(fields.data))
            texts = await service.collect(job, request)
        except PointreeError as error:
            raise _as_udpipe_says(error) from error
        reply = {
            "model": model.name,
            "acknowledgements": [_ACKNOWLEDGEMENT] if model.parser.text_model is not None else [],
            "result": "".join([*texts, writer.end()]),
        }
        return _reply(reply)

    @router.get(
        "/process", response_class=Response, responses=replies, openapi_extra={"parameters": _query_parameters()}
    )
    async def process_query(request: Request) -> Response:
        """Tokenise, tag and parse data in the query, as UDPipe does."""
        return await process(request)

    @router.post("/process", response_class=Response, responses=replies, openapi_extra={"requestBody": _request_body()})
    async def process_form(request: Request) -> Response:
        """Tokenise, tag and parse data in a form, as UDPipe does."""
        return await process(request)

    async def models() -> Response:
        """List the models as UDPipe does."""
        steps = {
            model.name: [*(["tokenizer", "tagger"] if model.parser.reads_text else []), "parser"]
            for model in service.registry
        }
        return _reply({"models": steps, "default_model": service.registry.default.name})

    router.get("/models", response_class=Response, responses=error_replies(401, 503))(models)
    router.post("/models", response_class=Response, responses=error_replies(401, 503), include_in_schema=False)(models)
    return router


def _reply(value: dict[str, Any]) -> Response:
    body = json.dumps(value, ensure_ascii=False, indent=1) + "\n"
    return Response(body, media_type="application/json")


def _fields(query: bytes, headers: Any, body: bytes) -> ProcessFields:
    found = read_fields(query, headers.get("content-type", ""), body)
    try:
        return ProcessFields.model_validate(found)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        raise RequestError(400, "invalid", f"{first['loc'][0]}: this field is required") from None


def _as_udpipe_says(error: PointreeError) -> RequestError:
    """UDPipe answers 400 to whatever is wrong with the fields; limits keep their own status."""
    failure = from_error(error)
    if failure.status in (404, 422):
        failure.status = 400
    return failure


def _properties() -> dict[str, Any]:
    properties = ProcessFields.model_json_schema()["properties"]
    return {name: {"type": "string", "description": field["description"]} for name, field in properties.items()}


def _query_parameters() -> list[dict[str, Any]]:
    return [
        {"name": name, "in": "query", "required": name == "data", "allowEmptyValue": True, "schema": field}
        for name, field in _properties().items()
    ]


def _request_body() -> dict[str, Any]:
    schema = {"type": "object", "properties": _properties(), "required": ["data"]}
    kinds = ("application/x-www-form-urlencoded", "multipart/form-data")
    return {"required": True, "content": {kind: {"schema": schema} for kind in kinds}}
