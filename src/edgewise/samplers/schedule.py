"""When a chain draws."""

from dataclasses import dataclass

from edgewise.errors import ArgumentError


@dataclass(frozen=True)
class Schedule:
    """How long a chain runs, and after which of its iterations it draws.

    Draws are taken after every ``thin`` iterations beyond the first ``burn_in``.

    Examples
    --------
    >>> schedule = Schedule(iterations=100, burn_in=20, thin=10)
    >>> schedule.draws(after=100), schedule.until_draw(after=15), schedule.until_draw(after=30)
    (8, 15, 10)
    """

    iterations: int
    burn_in: int
    thin: int

    def draws(self, *, after: int) -> int:
        """Return the number of draws taken in the first ``after`` iterations."""
        return max(after - self.burn_in, 0) // self.thin

    def until_draw(self, *, after: int) -> int:
        """Return the number of iterations from ``after`` to the next draw."""
        return self.burn_in + (self.draws(after=after) + 1) * self.thin - after


def make_schedule(iterations: int, burn_in: float, thin: int) -> Schedule:
    """Check the three settings; a ``burn_in`` below 1 is a share of the iterations, else a number of them."""
    for name, value in (("iterations", iterations), ("thin", thin)):
        if not (float(value).is_integer() and value >= 1):
            raise ArgumentError(f"{name} must be a whole number, at least 1, but {value!r} was given.")
    if not burn_in >= 0:
        raise ArgumentError(f"burn_in must be a share of the iterations or a number of them, but {burn_in!r} was given.")
    first = int(burn_in * iterations) if burn_in < 1 else int(burn_in)
    schedule = Schedule(int(iterations), first, int(thin))
    if schedule.draws(after=schedule.iterations) == 0:
        raise ArgumentError(
            f"With iterations={iterations}, burn_in={burn_in} and thin={thin} nothing would be drawn; take more "
            f"iterations, or a smaller burn_in or thin."
        )
    return schedule
