"""The network: embeddings, encoder, structured decoder and scorers, one brick a file."""
