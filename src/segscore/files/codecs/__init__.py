"""One module per format: each has the functions read and write."""
