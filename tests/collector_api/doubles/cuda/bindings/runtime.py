from cuda_double import *  # noqa: F403
