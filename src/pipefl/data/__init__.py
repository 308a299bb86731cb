"""Federated datasets: where their files come from, how they are read, who holds what."""
