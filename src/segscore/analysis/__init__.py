"""Questions beyond one score: causes, consensus, chance, all pairs, streams, and annotated regions."""
