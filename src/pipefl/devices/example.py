"""The example population that ships with PipeFL."""

from importlib.resources import as_file, files

from pipefl.devices.files import read_population
from pipefl.devices.population import Population

EXAMPLE_UPLOAD_TIME_S = 1.5


def example_population() -> Population:
    """1,500 phones with 10 to 70 images each, 0.1 s of computing an image.

    The paper's MNIST clients (sec:simulations): drawn once as `samples:10:70:0.1` with
    seed 0. With uploads of `EXAMPLE_UPLOAD_TIME_S` they fall into four clusters.
    """
    with as_file(files("pipefl.devices") / "example_population.csv") as path:
        population = read_population(path)
    return Population(
        "the example population: 1,500 phones with 10 to 70 images each",
        population.compute_time_s,
        population.client_id,
        population.num_samples,
    )
