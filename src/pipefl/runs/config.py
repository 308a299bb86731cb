"""Everything that defines a run, in one frozen record that a TOML file holds."""

from typing import Annotated, Literal, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

from pipefl.settings import Setting

Seconds = Annotated[float, Field(ge=0, allow_inf_nan=False)]
PositiveSeconds = Annotated[float, Field(gt=0, allow_inf_nan=False)]
Positive = Annotated[float, Field(gt=0, allow_inf_nan=False)]
InFloat32 = Annotated[float, Field(gt=0, le=1e30)]  # with room for their sums
Count = Annotated[int, Field(ge=1)]


def _folder_name(name: str) -> str:
    if not name.strip() or name in (".", "..") or "/" in name or not name.isprintable():
        raise ValueError(f"name is {name!r}; it must be the name of a folder, without a slash")
    return name


class _Section(BaseModel):
    model_config = ConfigDict(
        frozen=True, extra="forbid", strict=True, use_attribute_docstrings=True
    )


class DataConfig(_Section):
    """How a dataset is dealt to clients; see `pipefl data list` and docs/data.md."""

    partition: str | None = None
    """Who has which samples, such as `dirichlet:0.3`; none: what is natural to the dataset."""
    num_clients: Count | None = None
    """M clients; none: what is natural to the dataset. Of natural clients, a random subset."""
    count: Literal["snippets", "sequences"] | None = None
    """What n_m of text counts; none: snippets, where the files tell them apart."""
    test_samples: Count | None = None
    """So many test samples are judged, drawn once for all seeds; none: all."""


class DeviceConfig(_Section):
    """How long clients compute, in seconds: τ_m = σ n_m, unless a file says otherwise."""

    seconds_per_sample: PositiveSeconds = 0.1
    """σ."""
    times_file: str | None = None
    """A CSV or Parquet file of compute times, a row a client, in the dataset's order."""
    jitter: Annotated[float, Field(ge=0, le=5)] = 0.0
    """The relative deviation of a client's compute time from round to round."""
    availability_file: str | None = None
    """A trace of who is on and off when."""
    cell_radius_m: Positive | None = None
    """The radius of a radio cell around the clients, for policies that look at the channel."""


class RunConfig(_Section):
    r"""One run: data, model, local work, schedule, server, evaluation, execution.

    Everything that bears on the result is here; the same config gives the same bits with any
    number of `workers` and any `executor` but "vectorised", which rounds in another order.
    Times are in seconds, of the simulated clock.

    `upload_time_s` None is the paper's choice for K clusters, with eq:choosing_K solved for
    the upload:

    .. math:: \tau_\text{com} = \frac{\tau_\text{max} - \tau_\text{min}}{K}

    with K `num_clusters`, or `upload_clusters` where it is given (so that conventional
    scheduling, K = 1, can be compared at the uplink of four clusters). `server_learning_rate`
    None is 1, and b/W for `rolling`. A run ends after `max_rounds` steps of the server, or at
    `target_accuracy` if it `stop_at_target`. Tables `…_options` hold settings of the model,
    the algorithm, the policy and the server's optimiser; these check them.

    >>> config = RunConfig(num_clusters=4, target_accuracy=0.97)
    >>> config.policy, config.upload_time_s
    ('clustered', None)
    """

    name: Annotated[str, AfterValidator(_folder_name)] = "run"
    """The name of the run's folder."""
    seed: Annotated[int, Field(ge=0)] = 0
    """All random draws follow from it: partition, first weights, cohorts, batches."""

    dataset: str = "mnist"
    """A name of `pipefl data list`."""
    data: DataConfig = DataConfig()
    """How it is dealt to clients."""

    model: str = "cnn"
    """`cnn`, `mlp`, `linear`, `lstm`, or your own as `package.module:factory`."""
    model_options: dict[str, Setting] = {}
    """Settings of the model."""
    precision: Literal["fp32", "bf16"] = "fp32"
    """How products in models are taken; `bf16` is torch's autocast."""
    device: str = "cpu"
    """A device of torch."""

    algorithm: str = "local-sgd"
    """Clients' work: `local-sgd`, `full-gradient`, `fedprox`, `scaffold`, `cocoa`, or your own as \
`package.module:factory`."""
    algorithm_options: dict[str, Setting] = {}
    """Settings of the algorithm."""
    learning_rate: InFloat32 = 0.1
    """η of clients' steps."""
    batch_size: Count = 16
    """Samples in a step."""
    local_epochs: Count = 1
    """How often a client goes through its samples for one update."""
    largest_update: InFloat32 = 1e6
    """An update of a larger norm is refused, as is one that is not finite."""

    policy: str = "clustered"
    """Who takes part: a name of `pipefl compare`."""
    policy_options: dict[str, Setting] = {}
    """Settings of the policy."""
    discipline: Literal["slots", "eager-slots", "fifo", "wait-all"] | None = None
    """When clients of a round may transmit; none: what the policy was meant for."""
    missed: Literal["drop", "next-slot", "carry"] = "drop"
    """What becomes of a client that is not ready by its slot."""
    num_clusters: Count | None = None
    """K; none: as many as the paper recommends for `upload_time_s`."""
    num_channels: Count = 1
    """N."""
    upload_time_s: PositiveSeconds | None = None
    """τ_com; none: (τ_max − τ_min)/K, the paper's choice."""
    upload_clusters: Count | None = None
    """The K of that choice, where it is not `num_clusters`."""
    slack_s: Seconds = 0.0
    """Δ_global, extra time granted to every round."""
    server_time_s: Seconds = 0.0
    """τ_server, from the last upload to the new model."""
    devices: DeviceConfig = DeviceConfig()
    """How long clients compute."""

    weighting: Literal["paper", "unbiased"] = "paper"
    """The average by samples, or the inverse-probability estimate of all clients' update."""
    server_optimiser: str = "sgd"
    """`sgd`, `fedavgm`, `fedadagrad`, `fedadam`, `fedyogi`, or one of `torch.optim`."""
    server_learning_rate: InFloat32 | None = None
    """The server's η; none: 1, and b/W for `rolling`."""
    server_options: dict[str, Setting] = {}
    """Settings of the optimiser."""

    max_rounds: Count = 1000
    """The run ends after so many steps of the server."""
    target_accuracy: Annotated[float, Field(gt=0, le=1)] | None = None
    """The accuracy on the test samples that is to be reached."""
    stop_at_target: bool = True
    """Whether the run ends there."""
    evaluation: Literal["target", "full"] = "target"
    """`target` judges as many test samples as it takes to know whether the target is reached, \
`full` all of them."""
    evaluate_every: Count = 1
    """Every so many steps of the server the model is judged."""

    executor: str = "serial"
    """Who does the work: `serial`, `processes`, `vectorised` or `ray`."""
    workers: Count = 2
    """Worker processes, where the executor has some."""
    ray_address: str | None = None
    """The address of a Ray cluster."""
    checkpoint_every: Count | None = None
    """Rounds between checkpoints; none: by time."""
    checkpoint_every_s: Positive = 60.0
    """Real seconds between checkpoints."""

    @model_validator(mode="after")
    def _coherent(self) -> Self:
        if self.upload_time_s is not None and self.upload_clusters is not None:
            raise ValueError("upload_clusters says what upload_time_s is: give one of them")
        if self.upload_time_s is None and not (self.num_clusters or self.upload_clusters):
            raise ValueError(
                "num_clusters is None: give it, or upload_time_s, from which it is chosen"
            )
        if self.evaluation == "target" and self.target_accuracy is None:
            raise ValueError('evaluation is "target", which needs target_accuracy; or take "full"')
        return self


BITS_DO_NOT_DEPEND_ON = frozenset(
    {"name", "executor", "workers", "ray_address", "checkpoint_every", "checkpoint_every_s"}
)
"""Fields that a resumed run may change: its numbers stay the same whatever they are."""


def changes_bits(name: str, old: object, new: object) -> bool:
    """Whether a run comes to other numbers when this field is changed.

    All executors give the same bits but for `vectorised`, which rounds in another order.

    >>> changes_bits("executor", "serial", "processes")
    False
    >>> changes_bits("executor", "serial", "vectorised"), changes_bits("seed", 1, 2)
    (True, True)
    """
    if name == "executor" and "vectorised" in (old, new):
        return old != new
    return old != new and name not in BITS_DO_NOT_DEPEND_ON
