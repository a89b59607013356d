"""The network as ONNX graphs, which parse without torch; written once for a model, with the `onnx` package.

A graph has no weights: its initialisers have the names of those in `weights.safetensors`, and the engine gives it the
arrays when it is opened. Graphs follow from the settings and the shapes of the weights alone.
"""
