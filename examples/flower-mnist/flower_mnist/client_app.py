"""The clients' side."""

from flwr.app import Context, Message, MetricRecord, RecordDict
from flwr.clientapp import ClientApp

from flower_mnist.task import Task, be_slow, partition_of
from pipefl.flower import answer_profile, uplink_slot

app = ClientApp()


@app.query("pipefl")
def profile(message: Message, context: Context) -> Message:
    """How many samples this node has and how fast it works on them."""
    task = Task.of(context.run_config)
    client = partition_of(context, task)
    model, num_samples = task.initial(), task.num_samples(client)
    samples_per_round = num_samples * task.config.local_epochs

    def work() -> None:
        task.trained(client, model, 1)
        be_slow(context.run_config, samples_per_round)

    return answer_profile(
        message,
        context,
        work=work,
        work_samples=samples_per_round,
        num_samples=num_samples,
        samples_per_round=samples_per_round,
    )


@app.train(mods=[uplink_slot])
def train(message: Message, context: Context) -> Message:
    """Local epochs on this node's own images."""
    task = Task.of(context.run_config)
    client = partition_of(context, task)
    num_samples = task.num_samples(client)
    round_ = int(str(message.content.config_records["config"]["server-round"]))
    model, loss = task.trained(client, message.content.array_records["arrays"], round_)
    be_slow(context.run_config, num_samples * task.config.local_epochs)
    metrics = MetricRecord({"num-examples": num_samples, "train_loss": loss})
    return Message(RecordDict({"arrays": model, "metrics": metrics}), reply_to=message)
