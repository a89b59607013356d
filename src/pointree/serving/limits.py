"""What a service accepts, in one place; every refusal names the limit that it is about."""

from __future__ import annotations

from dataclasses import dataclass, fields

from pointree.errors import UsageError

__all__ = ["Limits"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """The limits of a service.

    Attributes:
        body_bytes: Size of a request's body.
        words: Words of a request.
        sentence_words: Words of a sentence; the time of a step grows with them.
        word_characters: Characters of a word, and of text without white space.
        beam: Hypotheses, and trees, that a request may ask for.
        answer_characters: Characters of an answer that is not streamed.
        queue: Requests that are accepted and not yet answered.
        seconds: From the acceptance of a request to the last sentence of its answer.
        header_seconds: For a client to send the head of a request.
        body_seconds: For a client to send the body of a request.
        write_seconds: For a client to read on, once the buffers between it and us are full.
        connections: Connections that are open at the same time.
    """

    body_bytes: int = 4 << 20
    words: int = 100_000
    sentence_words: int = 1_000
    word_characters: int = 10_000
    beam: int = 32
    answer_characters: int = 64 << 20
    queue: int = 256
    seconds: float = 120.0
    header_seconds: float = 10.0
    body_seconds: float = 30.0
    write_seconds: float = 30.0
    connections: int = 1_024

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if not value > 0:
                raise UsageError(f"limit {field.name} must be above 0, found {value}")
