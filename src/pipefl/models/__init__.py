"""The models that clients train, each on one flat vector of weights."""

from pipefl.models.repeatable import ask_for_repeatable_products

ask_for_repeatable_products()
