"""pointree in a pipeline of Ray Data: a callable class for `Dataset.map_batches`.

    import ray
    from pointree.integrations.ray import RayParser

    documents = ray.data.read_parquet("s3://bucket/documents")
    sentences = documents.map_batches(
        RayParser,
        fn_constructor_kwargs={"model": "en", "text_column": "body"},
        batch_format="pyarrow",
        batch_size=64,
        compute=ray.data.ActorPoolStrategy(size=8),
        num_cpus=1,
    )
    sentences.write_parquet("s3://bucket/sentences")

Each actor loads the model once and parses with one thread. `pointree parse --cluster` is for jobs that must go on after
their driver was killed.
"""

from __future__ import annotations

from typing import Any

from pointree.integrations.arrow import ArrowParser

__all__ = ["RayParser"]


class RayParser(ArrowParser):
    """Documents to sentences in an actor of Ray Data; arguments as for `ArrowParser`."""

    def __init__(self, *arguments: Any, **keywords: Any) -> None:
        super().__init__(*arguments, **keywords)
        self.parser.require_segmenter()  # when the actor starts, and not at its first batch
