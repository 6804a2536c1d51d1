"""WinoQueer-NL: builds, checks, scores and publishes a benchmark of stereotype sentence pairs from tables."""

from importlib.metadata import PackageNotFoundError, version

try:
    __version__ = version("winoqueer-nl")
except PackageNotFoundError:  # run from a source tree that is not installed
    __version__ = "0+source"
