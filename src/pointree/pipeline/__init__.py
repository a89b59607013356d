"""From input files to output files: what is read, parsed and written."""

from pointree.pipeline.inputs import INPUT_FORMATS
from pointree.pipeline.parse_files import OUTPUT_FORMATS, parse_files

__all__ = ["INPUT_FORMATS", "OUTPUT_FORMATS", "parse_files"]
