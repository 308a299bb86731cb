"""How many bits one client's update is."""

from pipefl.checks import count, number, positive


def update_bits(
    num_parameters: int, bits_per_parameter: float = 32.0, compression_ratio: float = 1.0
) -> float:
    r"""The bits of one update: the gradient, or the new weights, of every parameter.

    .. math:: b = d \, q \, c

    Paper: sec:pfl, where the packet "depends on the size of the gradient vector" and is
    the same for all clients.

    Legend: d `num_parameters`; q `bits_per_parameter`, 32 for float32 and 16 for bfloat16;
    c `compression_ratio`, the bits sent for each bit of the update, so that keeping one
    entry in ten at its value and its index (32 bits each) has c = 0.2. O(1).

    >>> update_bits(1_000_000)
    32000000.0
    >>> update_bits(1_000_000, bits_per_parameter=16, compression_ratio=0.25)
    4000000.0
    """
    ratio = number(
        "compression_ratio",
        compression_ratio,
        "it must be above 0 and at most 1, the share of the bits that is sent",
        lambda v: 0 < v <= 1,
    )
    bits = positive("bits_per_parameter", bits_per_parameter, "bits")
    return count("num_parameters", num_parameters) * bits * ratio
