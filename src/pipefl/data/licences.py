"""Under which terms others publish the data, and whom to cite."""

_MNIST = "CC BY-SA 3.0 (Yann LeCun, Corinna Cortes, Christopher J. C. Burges)"
_QMNIST = "writers: BSD-style, the QMNIST project (Chhavi Yadav, Léon Bottou)"

LICENCES = {
    "mnist": _MNIST,
    "mnist-subset": _MNIST,
    "emnist": "see NIST Special Database 19, where the images come from; cite Cohen et al. 2017 "
    "(EMNIST) and Caldas et al. 2018 (LEAF)",
    "nist-writers": f"images: {_MNIST}; {_QMNIST}",
    "nist-sizes": f"images: {_MNIST}; {_QMNIST}",
    "shakespeare": "the plays are in the public domain (Project Gutenberg); "
    "for TensorFlow Federated's or LEAF's files cite Caldas et al. 2018",
}
