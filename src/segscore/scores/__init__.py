"""Scores: one module per family, with the same name as its header in the core, and the catalog of all metrics."""
