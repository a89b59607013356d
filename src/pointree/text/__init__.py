"""Raw text to sentences of words: cleaning, reading, segmentation."""
