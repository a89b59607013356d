"""Pretrained embeddings: vectors of words from a pretrained model such as BERT (paper §2.2, §5.2).

Words are split into sub-words (`subwords`), which are laid out in windows that the model can read (`windows`). The
model returns one vector for each word and layer (`model`). The vectors of a frozen model are computed once and kept on
disk (`cache`); a fine-tuned model is a part of the network (`embedding`).
"""
