"""Results of a study: leaderboards, significance tests, charts, and the page of a report."""
