"""How wrong scores are: what training goes down on, and what evaluation counts."""

import torch
from torch import Tensor
from torch.nn.functional import cross_entropy

PADDING = 0  # the token id that counts for nothing


def batch_loss(scores: Tensor, targets: Tensor) -> Tensor:
    r"""The mean cross entropy of a batch.

    .. math:: F = -\frac{1}{n} \sum_i \ln \operatorname{softmax}(z_i)_{y_i}

    over B images (scores z are B × C, targets y are B) or over all tokens of a batch of
    text that are not padding (B × L × C, B × L). A batch of nothing but padding has loss 0.

    Paper: eq. (2), F_m where the batch is all that client m has.
    """
    if targets.dim() == 1:
        return cross_entropy(scores, targets)
    total = _token_losses(scores, targets).sum()
    return total / (targets != PADDING).sum().clamp(min=1)


def sample_losses(scores: Tensor, targets: Tensor) -> Tensor:
    """The B cross entropies l_i; of a sequence the mean over its tokens but for padding."""
    if targets.dim() == 1:
        return cross_entropy(scores, targets, reduction="none")
    return _token_losses(scores, targets).sum(1) / (targets != PADDING).sum(1).clamp(min=1)


def losses_and_slopes(scores: Tensor, targets: Tensor) -> tuple[Tensor, Tensor]:
    r"""The cross entropy l of each image, and its slopes for all scores.

    .. math:: \frac{\partial l}{\partial z_c} = \operatorname{softmax}(z)_c - [c = y]

    Scores are … × C and targets ….
    """
    logarithms = torch.log_softmax(scores, -1)
    own = targets.unsqueeze(-1)
    losses = logarithms.gather(-1, own).squeeze(-1).neg_()
    slopes = logarithms.exp_().scatter_add_(-1, own, scores.new_full((), -1.0).expand(own.shape))
    return losses, slopes


def judge(scores: Tensor, targets: Tensor) -> tuple[int, int, Tensor]:
    r"""How many are correct, of how many, and how badly each of the B samples was missed.

    An image's badness is the largest score of another class minus its own class's:

    .. math:: b_i = \max_{c \ne y_i} z_{ic} - z_{iy_i}

    It is correct where b < 0; equal scores are not enough, and NaN is infinitely bad. Of
    text the tokens that are not padding are judged in the same way, and a sequence's
    badness is how many of its tokens are wrong.

    >>> judge(torch.tensor([[1.0, 3.0], [2.0, 2.5]]), torch.tensor([1, 0]))
    (1, 2, tensor([-2.0000,  0.5000]))
    """
    own = scores.gather(-1, targets.unsqueeze(-1)).squeeze(-1)
    others = scores.scatter(-1, targets.unsqueeze(-1), -torch.inf).amax(-1)
    badness = (others - own).nan_to_num(nan=torch.inf, posinf=torch.inf, neginf=-torch.inf)
    if targets.dim() == 1:
        return int((badness < 0).sum()), targets.numel(), badness
    judged = targets != PADDING
    wrong = (judged & (badness >= 0)).sum(1)
    num_judged = int(judged.sum())
    return num_judged - int(wrong.sum()), num_judged, wrong.float()


def _token_losses(scores: Tensor, targets: Tensor) -> Tensor:
    """B × L, 0 for padding."""
    flat = cross_entropy(
        scores.flatten(0, 1), targets.flatten(), ignore_index=PADDING, reduction="none"
    )
    return flat.view(targets.shape)
