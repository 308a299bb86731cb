"""Training in the clock: local work, aggregation, evaluation, executors, checkpoints, the loop."""
