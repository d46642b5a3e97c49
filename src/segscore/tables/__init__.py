"""Tables: every row of two columns of cuts scored at once, whatever the table is made of.

A table is a Polars DataFrame or LazyFrame, a pandas DataFrame, a pyarrow Table, a DuckDB relation, or anything else
that hands out an Arrow stream; the same kind comes back, with the same rows in the same order and a column for each
score. The columns are read where they lie: no row becomes a Python object. Rows are shared among threads, and the
numbers depend neither on how many there are nor on how the table is cut into chunks.

``options`` says what is scored and how, ``frames`` scores tables in memory, ``files`` streams files through the same
scores, ``decoding`` reads cuts that files hold as text, and ``aside`` writes files that appear when they are complete.
"""

from .frames import score, score_long
from .options import Options

__all__ = ["Options", "score", "score_long"]
