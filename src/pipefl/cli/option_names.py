"""What Python calls an argument and the command line calls an option."""

import re

_OPTIONS = {
    "upload_time_s": "--upload-time",
    "num_channels": "--channels",
    "num_clusters": "--clusters",
    "slack_s": "--slack",
    "server_time_s": "--server-time",
    "quantile": "--quantile",
    "num_clients": "--num-clients",
    "seed": "--seed",
    "seconds_per_sample": "--seconds-per-sample",
    "min_clients_per_round": "--min-clients",
    "max_round_s": "--max-seconds",
    "smallest_spread": "--smallest-spread",
    "coefficient_of_variation": "--jitter",
    "radius_m": "--cell",
    "one_channel_upload_time_s": "--band-upload-time",
    "max_channels": "--max-channels",
    "max_clients_per_round": "--max-clients",
    "capacity": "--capacity",
    "chart": "--chart",
    "table": "--table",
}
_IN_TEXT = "|".join(name for name in _OPTIONS if "_" in name)
_AT_THE_START = "|".join(_OPTIONS)  # "seed" may be just a word further on
_NAME = re.compile(rf"(?<![\w'.-])({_IN_TEXT})(?![\w'.])(=?)|^({_AT_THE_START})(?= is )()")


def in_options(message: str) -> str:
    """The message with options in place of Python's names; quoted names are left alone.

    >>> in_options("num_clusters is 9; slack_s=60.0 would allow 9")
    '--clusters is 9; --slack 60.0 would allow 9'
    """
    return _NAME.sub(_option, message)


def _option(found: re.Match[str]) -> str:
    return _OPTIONS[found[1] or found[3]] + (" " if found[2] else "")
