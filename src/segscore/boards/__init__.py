"""Boards: the methods of a study ranked by a score, and what may be concluded."""
