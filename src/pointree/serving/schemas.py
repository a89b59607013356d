"""The shapes of requests and answers of `/v1`, which the OpenAPI description shows."""

from __future__ import annotations

import re
from dataclasses import fields
from typing import Annotated, Any, Literal, get_type_hints

from pydantic import BaseModel, ConfigDict, Field, PlainValidator, WithJsonSchema, create_model, model_validator

from pointree.options import OLD_KEYWORDS, ParseOptions, option_help
from pointree.serving.failures import RequestError
from pointree.serving.task import Task

__all__ = [
    "ErrorReply",
    "Health",
    "ModelInfo",
    "ModelList",
    "ParseRequest",
    "error_replies",
    "one_of",
    "options_model",
    "parse_options",
]


_TYPES = get_type_hints(ParseOptions)
_SURROGATE = re.compile("[\ud800-\udfff]")


def options_model(name: str, *names: str) -> type[BaseModel]:
    """A base for requests with these fields of `ParseOptions`."""
    found = {item.name: item for item in fields(ParseOptions)}
    described: dict[str, Any] = {
        each: (
            _TYPES[each],
            Field(
                default=found[each].default,
                ge=found[each].metadata["least"],
                le=found[each].metadata["most"],
                description=option_help(each),
            ),
        )
        for each in names
    }
    config = ConfigDict(extra="forbid", strict=True)
    validators: Any = {"names_of_today": model_validator(mode="before")(_refuse_old_names)}
    return create_model(name, __config__=config, __validators__=validators, **described)


def _refuse_old_names(asked: Any) -> Any:
    for old, new in OLD_KEYWORDS.items():
        if isinstance(asked, dict) and old in asked:
            raise ValueError(f"the field {old} is now called {new}")
    return asked


def parse_options(asked: BaseModel) -> ParseOptions:
    """The options of a request."""
    names = [item.name for item in fields(ParseOptions) if item.name in type(asked).model_fields]
    return ParseOptions(**{name: getattr(asked, name) for name in names})


def one_of(**types: str) -> list[Any]:
    """What a description says of fields of which a request has exactly one that is not null."""
    return [{"required": [name], "properties": {name: {"type": kind}}} for name, kind in types.items()]


_WORD_SCHEMA = {"type": "string", "minLength": 1}
_SENTENCE_SCHEMA = {"type": "array", "items": _WORD_SCHEMA, "minItems": 1}
_WORDS_SCHEMA = {"anyOf": [{"type": "array", "items": _SENTENCE_SCHEMA}, {"type": "null"}]}


def check_words(sentences: Any) -> Any:
    """Lists of words; the first fault is a `RequestError` with its place."""
    if sentences is None:
        return None
    if not isinstance(sentences, list):
        raise RequestError(422, "invalid", "body.words: expected a list of sentences, found something else")
    for number, sentence in enumerate(sentences):
        if not isinstance(sentence, list) or not sentence:
            found = "an empty list" if sentence == [] else "something else"
            raise RequestError(422, "invalid", f"body.words.{number}: expected a list of words, found {found}")
        for place, word in enumerate(sentence):
            if not isinstance(word, str) or not word:
                found = "an empty string" if word == "" else "something else"
                raise RequestError(422, "invalid", f"body.words.{number}.{place}: expected a word, found {found}")
            if not word.isascii() and (lone := _SURROGATE.search(word)):
                found = f"a lone U+{ord(lone[0]):04X}"
                raise RequestError(422, "invalid", f"body.words.{number}.{place}: expected Unicode text, found {found}")
    return sentences


_ParseFields: Any = options_model(
    "ParseFields",
    "retag",
    "order",
    "beam",
    "n_best",
    "probabilities",
    "min_confidence",
    "projective",
    "single_root",
    "sentences",
)


class ParseRequest(_ParseFields):  # type: ignore[misc]
    """Sentences in one of three forms, and how to parse them."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [{"text": "John and Mary play tennis together.", "output": "conllu"}],
            "oneOf": one_of(text="string", conllu="string", words="array"),
        },
    )

    text: Annotated[str | None, Field(description="Raw text; it is cut into sentences and words, and tagged.")] = None
    conllu: Annotated[str | None, Field(description="CoNLL-U; everything but HEAD and DEPREL is kept.")] = None
    words: Annotated[
        list[list[str]] | None,
        PlainValidator(check_words),
        WithJsonSchema(_WORDS_SCHEMA),
        Field(description="Sentences as lists of words."),
    ] = None
    model: Annotated[str | None, Field(description="A name of GET /v1/models; the default model without it.")] = None
    output: Annotated[
        Literal["json", "conllu"], Field(description="The format of the answer, as `pointree parse --to` writes it.")
    ] = "json"
    stream: Annotated[
        bool,
        Field(description="Send each sentence as soon as it is parsed: JSON as one object a line, CoNLL-U as it is."),
    ] = False

    @model_validator(mode="after")
    def _has_one_input(self) -> ParseRequest:
        given = [name for name in ("text", "conllu", "words") if getattr(self, name) is not None]
        if len(given) != 1:
            raise ValueError(f"expected one of text, conllu and words, found {' and '.join(given) or 'none'}")
        return self

    def task(self) -> Task:
        """What is done to the sentences."""
        return Task(parse_options(self))


class ModelInfo(BaseModel):
    """One model of the service."""

    name: str
    order: str
    orders: list[str] = Field(description="The values of `order` that requests may have; the first is the default.")
    fusion: str
    reads_text: bool = Field(description="Whether it has a tokeniser and a tagger.")


class ModelList(BaseModel):
    """The models of the service."""

    models: list[ModelInfo]
    default: str


class Health(BaseModel):
    """Whether the service works."""

    status: Literal["ok", "failed"]
    version: str
    queue: int = Field(description="Requests that are accepted and not done.")
    reason: str | None = Field(default=None, description="Why the service is not ready.")


class LimitInfo(BaseModel):
    """A limit of the service."""

    name: str
    value: float


class ErrorDetail(BaseModel):
    """What was wrong."""

    code: str
    message: str
    limit: LimitInfo | None
    request_id: str | None


class ErrorReply(BaseModel):
    """The answer to every request that fails."""

    error: ErrorDetail


def error_replies(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """The entries of the OpenAPI description for these statuses."""
    return {status: {"model": ErrorReply} for status in statuses}
