"""From input files to output files: what is read, parsed and written."""

from pointree.pipeline.inputs import INPUT_FORMATS, Input, find_inputs, read_inputs
from pointree.pipeline.parse_files import OUTPUT_FORMATS, ParseReport, parse_files

__all__ = ["INPUT_FORMATS", "OUTPUT_FORMATS", "Input", "ParseReport", "find_inputs", "parse_files", "read_inputs"]
