"""Runs on disk: their configuration, records, checkpoints and directories. Needs no torch."""
