"""The version of the package, alone so that the build can read it without importing anything."""

__version__ = "0.2.0"
