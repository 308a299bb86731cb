"""Observers that write what they are told to other tools' files."""
