"""The shapes of requests and answers of `/v1`, which the OpenAPI description shows."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from pointree.serving.analysis import Analysis

__all__ = ["ErrorReply", "Health", "ModelInfo", "ModelList", "ParseRequest", "error_replies"]


class ParseRequest(BaseModel):
    """Sentences in one of three forms, and how to parse them."""

    model_config = ConfigDict(
        extra="forbid",
        strict=True,
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
    retag: Annotated[bool, Field(description="Replace given tags by those of the model.")] = False
    beam: Annotated[int, Field(ge=1, description="Hypotheses to keep; 1 is greedy.")] = 1
    n_best: Annotated[int, Field(ge=1, description="Trees for each sentence.")] = 1
    probabilities: Annotated[bool, Field(description="Give each word HeadProb and DeprelProb.")] = False
    projective: Annotated[bool, Field(description="Allow no crossing arcs.")] = False
    multi_root: Annotated[bool, Field(description="Allow several words to depend on ROOT.")] = False

    @model_validator(mode="after")
    def _has_one_input(self) -> ParseRequest:
        given = [name for name in ("text", "conllu", "words") if getattr(self, name) is not None]
        if len(given) != 1:
            raise ValueError(f"expected one of text, conllu and words, found {' and '.join(given) or 'none'}")
        return self

    def analysis(self) -> Analysis:
        """The options that decide which sentences can be parsed together."""
        return Analysis(
            retag=self.retag,
            beam_width=max(self.beam, self.n_best),
            n_best=self.n_best,
            single_root=not self.multi_root,
            projective=self.projective,
            probabilities=self.probabilities,
        )


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
