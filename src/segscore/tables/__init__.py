"""Tables: scores for every row of two columns of cuts.

A table is a Polars DataFrame or LazyFrame, a pandas DataFrame, a pyarrow Table, a DuckDB relation, or any other object
with an Arrow stream. The result is of the same kind, with the same rows in the same order and one new column per score.
The columns are read without a copy, and no row becomes a Python object. The numbers depend neither on the number of
threads nor on the chunks of the table.

``options`` holds the options, ``score`` scores tables in memory, ``long`` joins tables with the truths of their series,
``files`` streams files through the same scores, ``scans`` reads these files and ``sinks`` writes them, ``plans`` says
who computes which metric, ``decoding`` reads cuts and labels that are stored as text, ``states`` says what became of
rows, and ``columns`` which values of a column are better.
"""
