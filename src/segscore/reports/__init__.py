"""Reports: tables of results as one HTML page that needs no network."""
