"""Named experiments: each is a function that returns a full configuration."""
