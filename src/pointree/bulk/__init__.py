"""Bulk parsing on a Ray cluster: input files in, a folder of shards out, each input in it exactly once."""
