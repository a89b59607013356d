"""A model on disk: file names, folder, registry, card, wheel, and ways to make it smaller."""
