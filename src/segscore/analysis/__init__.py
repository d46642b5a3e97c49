"""Questions beyond one score: causes, consensus, chance, all pairs, streams, simulations, and annotated regions."""
