"""The command line: ``heapscene demo``, ``render`` and ``doctor``.

In:   arguments, files.
Out:  pictures, and lines for people or, with ``--json``, exactly one JSON object.
Keeps: exit code 0 done, 1 failed with a message, 2 wrong usage; never a traceback. Results go to
       standard output; warnings and errors to standard error.
"""

from heapscene.cli.main import cli as cli
from heapscene.cli.main import main as main
