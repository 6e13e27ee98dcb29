"""The version of the package, and of the TensorFlow whose behaviour it has."""

__version__ = "0.1.0"
VERSION = "2.21.0"
