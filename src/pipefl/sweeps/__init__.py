"""Sets of runs on disk: what they vary, what is still to be run, what came of them. No torch."""
