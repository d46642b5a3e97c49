"""Files of segmentations, in the formats of all fields that cut sequences into segments.

`segscore.read` reads them, `segscore.write` writes them, and the command line takes them wherever it takes a file of
cuts. There is one module per format. ``kinds`` lists the formats and what each can hold, ``options`` are the options of
reading, ``text`` has the lines and numbers of text files, ``rows`` holds what a reader finds and makes segmentations of
it, ``records`` reads rows of tables, and ``segmentations`` is the result. Nothing in a file is executed or resolved.
"""

from .kinds import FORMATS
from .reading import read
from .segmentations import Segmentations
from .writing import write

__all__ = ["FORMATS", "Segmentations", "read", "write"]
