"""Files of segmentations, in the formats of all fields that cut sequences into segments.

`segscore.read` reads them, `segscore.write` writes them, and the command line takes them wherever it takes a file of
cuts. ``codecs`` has one module per format. ``formats`` lists the formats, their suffixes and what each can hold,
``options`` are the options of reading, ``text`` has the lines and numbers of text files, ``rows`` holds the content of
a file and makes segmentations of it, ``intervals`` treats rounding, gaps and overlaps, ``records`` reads rows of
tables, and ``segmentations`` is the result. Nothing in a file is executed or resolved.
"""

from .formats import FORMATS
from .reading import read
from .segmentations import Segmentations
from .writing import write

__all__ = ["FORMATS", "Segmentations", "read", "write"]
