"""Publications: leaderboards as tables for a paper, with the marks and the caption that they need."""
