"""Draw a million independent, changing objects at the price of one merged mesh."""

from heapscene._version import __version__ as __version__
