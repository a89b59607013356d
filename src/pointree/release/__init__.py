"""Releasing models: from a recipe with one entry a language to installable packages with their scores."""
