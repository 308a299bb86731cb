"""A Flower app: handwritten digits, learned by a pipelined federation."""
