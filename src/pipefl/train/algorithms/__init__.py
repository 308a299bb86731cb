"""What clients do with the model they are given: one file an algorithm."""
