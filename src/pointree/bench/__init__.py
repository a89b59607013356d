"""The bench: how fast this machine trains and parses, and how much of its peak that is."""
