"""How far the iterations of a run depend on those before them: block length and effective sample size.

Both come from the autocorrelation of the ranks rather than of the times, which a few outliers would hide. The
lags are weighted by the flat-top window; its width and the block length follow D. N. Politis and H. White,
Automatic block-length selection for the dependent bootstrap, Econometric Reviews 23 (2004), corrected by
A. Patton, D. N. Politis and H. White, Econometric Reviews 28 (2009). GPUs change their clocks slowly, so lags
and blocks may be longer here than the authors' bounds of about the square root of the length.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from trexreport.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from numpy import int64
    from numpy.typing import NDArray

#: Fewer blocks would not show how much blocks differ.
_MIN_BLOCKS = 10
#: The window is at most this part of the run.
_WIDEST_WINDOW = 4
#: After this many lags in a row without noticeable correlation there is none, as the authors define it.
_QUIET_LAGS = 5


@dataclass(frozen=True)
class Dependence:
    """How the iterations of a run hang together.

    Attributes:
        block_length: Iterations in a block that is drawn as a whole.
        independent_iterations: The length over the integrated autocorrelation time; at most the length.
    """

    block_length: int
    independent_iterations: float


def measure_dependence(times: Sequence[float]) -> Dependence:
    """Return block length and effective sample size of times in the order in which they were measured."""
    import numpy as np

    series = doubled_ranks(times)
    series -= len(times) + 1  # around their mean
    count = len(series)
    least_block = math.ceil(count ** (1 / 3))
    most_block = max(1, count // _MIN_BLOCKS)
    variance = int(np.dot(series, series))
    if variance == 0:
        return Dependence(min(least_block, most_block), float(count))
    correlations = _until_gone(series, variance)
    window = len(correlations) - 1
    weights = [min(1.0, 2 * (1 - lag / window)) for lag in range(window + 1)]
    # Spectral density at zero over the variance, and its first generalized derivative.
    density = 1 + 2 * math.fsum(
        weight * value for weight, value in zip(weights[1:], correlations[1:], strict=True)
    )
    slope = 2 * math.fsum(lag * weights[lag] * value for lag, value in enumerate(correlations))
    time = max(1.0, density)
    block = (1.5 * (slope / time) ** 2 * count) ** (1 / 3)
    length = min(max(math.ceil(round(block, 6)), least_block), most_block)
    return Dependence(length, count / time)


def doubled_ranks(times: Sequence[float]) -> NDArray[int64]:
    """Return twice the rank of each time, 2 for the shortest; equal times share the middle of their ranks.

    Whole numbers keep every sum of them exact, and so the same on every machine.
    """
    import numpy as np

    _, place, counts = np.unique(np.asarray(times), return_inverse=True, return_counts=True)
    ends = np.cumsum(counts, dtype=np.int64)
    middles: NDArray[int64] = 2 * ends - counts + 1
    return middles[place]


def _until_gone(series: NDArray[int64], variance: int) -> list[float]:
    """Return the autocorrelation by lag from 0 to twice the lag after which it is no longer noticeable."""
    import numpy as np

    count = len(series)
    widest = max(1, count // _WIDEST_WINDOW)
    noticeable = 2 * math.sqrt(math.log10(count) / count)
    correlations = [1.0]
    quiet = 0
    for lag in range(1, widest + 1):
        correlations.append(int(np.dot(series[lag:], series[:-lag])) / variance)
        quiet = quiet + 1 if abs(correlations[lag]) < noticeable else 0
        if quiet == _QUIET_LAGS:
            window = 2 * max(1, lag - _QUIET_LAGS)
            more = range(lag + 1, min(window, widest) + 1)
            correlations += [int(np.dot(series[later:], series[:-later])) / variance for later in more]
            return correlations[: window + 1]
    return correlations
