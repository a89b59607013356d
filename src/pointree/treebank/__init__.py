"""Sentences, and treebank files in and out."""
