"""The command line: one file per command, each a typed shell over plain functions of the package."""
