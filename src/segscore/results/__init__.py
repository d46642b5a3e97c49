"""What the scores of many series say: leaderboards, tests of their differences, charts, and the page of a report."""
