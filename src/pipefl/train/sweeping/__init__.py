"""Running the trials of a sweep, side by side."""
