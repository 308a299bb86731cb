"""How well a round uses the spectrum."""


def conventional_efficiency(
    latest_compute_time_s: float, upload_time_s: float, server_time_s: float = 0.0
) -> float:
    r"""The share of a conventional round in which a sub-channel carries an update.

    .. math:: \epsilon \approx \frac{\tau_\text{com}}
        {\tau_\text{com} + \tau_\text{server} + \max_m \tau_m}

    Paper: eq. (8), ε of sec:pfl, with every round as long as the slowest of all clients
    makes it.

    >>> conventional_efficiency(7.0, upload_time_s=1.0)
    0.125
    """
    return pipelined_efficiency(latest_compute_time_s, upload_time_s, 1, 0.0, server_time_s)


def pipelined_efficiency(
    latest_compute_time_s: float,
    upload_time_s: float,
    num_clusters: int,
    slack_s: float = 0.0,
    server_time_s: float = 0.0,
) -> float:
    r"""The share of a pipelined round in which a sub-channel carries an update.

    .. math:: \epsilon = \frac{K \tau_\text{com}}
        {\tau_\text{com} + \tau_\text{server} + \max_m \tau_m + \Delta_\text{global}}

    Paper: eq. (19), ε with Δ_global of sec:clustering, and eq. (9), ε_PFL of sec:pfl, where
    Δ_global = 0: K times the conventional ε. It takes every cluster to have at least N clients
    (eq:requirement2).

    Legend: τ_com `upload_time_s`, τ_server `server_time_s`, Δ_global `slack_s`, all in
    seconds; K `num_clusters`.

    >>> pipelined_efficiency(7.0, upload_time_s=1.0, num_clusters=4)
    0.5
    """
    round_s = upload_time_s + server_time_s + latest_compute_time_s + slack_s
    return num_clusters * upload_time_s / round_s
