"""The shapes of requests and answers of `/v1`, which the OpenAPI description shows."""

from __future__ import annotations

from dataclasses import fields
from typing import Annotated, Any, Literal, get_type_hints

from pydantic import BaseModel, ConfigDict, Field, create_model, model_validator

from pointree.options import OLD_KEYWORDS, ParseOptions, option_help
from pointree.serving.task import Task

__all__ = [
    "ErrorReply",
    "Health",
    "ModelInfo",
    "ModelList",
    "ParseRequest",
    "error_replies",
    "options_model",
    "parse_options",
]


_TYPES = get_type_hints(ParseOptions)


def options_model(name: str, *names: str) -> type[BaseModel]:
    """A base for requests with these fields of `ParseOptions`."""
    found = {item.name: item for item in fields(ParseOptions)}
    described: dict[str, Any] = {
        each: (
            _TYPES[each],
            Field(default=found[each].default, ge=found[each].metadata["least"], description=option_help(each)),
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


_ParseFields: Any = options_model(
    "ParseFields", "retag", "beam", "n_best", "probabilities", "projective", "single_root"
)


class ParseRequest(_ParseFields):  # type: ignore[misc]
    """Sentences in one of three forms, and how to parse them."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"text": "John and Mary play tennis together.", "output": "conllu"}]},
    )

    text: Annotated[str | None, Field(description="Raw text; it is cut into sentences and words, and tagged.")] = None
    conllu: Annotated[str | None, Field(description="CoNLL-U; everything but HEAD and DEPREL is kept.")] = None
    words: Annotated[
        list[Annotated[list[Annotated[str, Field(min_length=1)]], Field(min_length=1)]] | None,
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
    presegmented: Annotated[bool, Field(description="The text has one sentence a line.")] = False

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
