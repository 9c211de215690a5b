"""The upper tail of the chi-square distribution, and the normal deviate that is as improbable.

Both by logarithms, since the probabilities of strong dependences are less than the smallest double.
"""

import math

from ..compiling import inner

PRECISE = 1e-16
"""A sum or a fraction is complete when the next term changes it by less than this share."""

FAR = 30.0
"""From this deviate on the tail of the normal distribution is an asymptotic series, whose sixth term is 2e-12."""

LOG_ROOT_HALF_PI = 0.5 * math.log(0.5 * math.pi)


@inner
def log_chi_square_tail(statistic, degrees):
    """Return the logarithm of the probability that a chi-square variable with ``degrees`` exceeds ``statistic``.

    The regularised incomplete gamma function Q(a, x) at half of each: below its mean, 1 less a power series; above, a
    continued fraction (Abramowitz & Stegun 1964, 6.5.29 and 6.5.31), evaluated by Lentz's method.
    """
    a = 0.5 * degrees
    x = 0.5 * statistic
    if not x > 0.0:
        return 0.0
    log_front = a * math.log(x) - x - math.lgamma(a)
    if x < a + 1.0:
        term = 1.0 / a
        total = term
        n = a
        while term > PRECISE * total:
            n += 1.0
            term *= x / n
            total += term
        return math.log1p(-math.exp(log_front) * total)
    # With x >= a + 1 nothing vanishes: by induction, 1 / lower and upper are at least i + 1.
    b = x + 1.0 - a
    upper = math.inf
    lower = 1.0 / b
    fraction = lower
    change = 0.0
    i = 0.0
    while abs(change - 1.0) > PRECISE * 10.0:
        i += 1.0
        numerator = i * (a - i)
        b += 2.0
        lower = 1.0 / (b + numerator * lower)
        upper = b + numerator / upper
        change = upper * lower
        fraction *= change
    return log_front + math.log(fraction)


@inner
def log_two_tails(z):
    """Return the logarithm of the probability that a normal variable is further from 0 than z >= 0."""
    if z < FAR:
        return math.log(math.erfc(z * math.sqrt(0.5)))
    s = 1.0 / (z * z)
    return -0.5 * z * z - math.log(z) - LOG_ROOT_HALF_PI + math.log1p(-s * (1.0 - s * (3.0 - s * (15.0 - s * 105.0))))


@inner
def normal_deviate(log_p):
    """Return the deviate z >= 0 with a two-sided p-value of which the logarithm is given.

    A rational approximation with an error below 4.5e-4 (Abramowitz & Stegun 1964, 26.2.23), and two steps of Newton's
    method, each of which about squares it.
    """
    if not log_p < 0.0:
        return 0.0
    t = math.sqrt(2.0 * (math.log(2.0) - log_p))
    above = 2.515517 + t * (0.802853 + t * 0.010328)
    below = 1.0 + t * (1.432788 + t * (0.189269 + t * 0.001308))
    z = max(t - above / below, 0.0)
    for _ in range(2):
        log_tails = log_two_tails(z)
        slope = math.exp(-0.5 * z * z - LOG_ROOT_HALF_PI - log_tails)
        z = max(z + (log_tails - log_p) / slope, 0.0)
    return z
