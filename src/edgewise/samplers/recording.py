"""Chains whose compiled loop takes random numbers and records draws, a block at a time."""

from abc import ABC, abstractmethod
from collections.abc import Collection
from typing import Any, ClassVar

import numpy as np

from edgewise._kernels.basics.recorder import Draws, Recorder, enlarge, new_draws, new_recorder
from edgewise.tasks import IsOver, never

from .schedule import MOST_ITERATIONS, Schedule
from .snapshots import Snapshot, check_renewed, restore, take_snapshot

STEPS_AT_ONCE = 16_384
"""Steps in one call of the compiled loop: their random numbers take 256 kB, and the call itself a thousandth."""

FAMILIES_AT_ONCE = 2**15
"""Most families that the draws of one call could add to the record, so that room for them can be made beforehand."""


class RecordingChain(ABC):
    """A chain over p variables whose steps take a fixed number of random numbers each.

    ``kinds`` names the kinds of moves, as the compiled loop counts them in ``state.moves``. After every ``pause_every``
    iterations the chain pauses, for what is not to be done in every step.
    """

    kinds: ClassVar[Collection[str]]
    state: Any
    pause_every = MOST_ITERATIONS
    KEPT: tuple[str, ...] = ("rng", "state")
    FOLLOWS: tuple[str, ...] = ()

    def __init__(self, p: int, rng: np.random.Generator, schedule: Schedule, *, numbers: int = 2) -> None:
        self.rng = rng
        self.schedule = schedule
        self.iteration = 0
        self.p = p
        self._numbers = numbers
        self._forget()

    def _forget(self) -> None:
        """Begin the record of families anew."""
        self._recorder = new_recorder(self.p, capacity=64 * self.p)

    def snapshot(self) -> Snapshot:
        """Return where the chain is."""
        return take_snapshot(self)

    def restore(self, snapshot: Snapshot) -> None:
        """Go to where another chain of the same model was, and number families anew from there."""
        restore(self, snapshot)
        self.iteration, self.schedule = snapshot.iteration, snapshot.schedule
        self._forget()

    def check(self) -> None:
        """Refuse to go on from where no chain can be."""
        check_renewed(self, self._renew, self.FOLLOWS)

    def _renew(self) -> bool:
        """Find anew what ``FOLLOWS`` from where the chain is; return whether it can be there."""
        return True

    def advance(self, steps: int) -> list[Draws]:
        """Take ``steps`` iterations, and return the draws that fall among them.

        With no steps at all, what is still to be compiled is compiled.
        """
        end = self.iteration + steps
        most = min(STEPS_AT_ONCE, max(FAMILIES_AT_ONCE // self.p, 1) * self.schedule.thin)
        blocks: list[Draws] = []
        while self.iteration < end or not blocks:
            until_pause = self.pause_every - self.iteration % self.pause_every
            after = self.iteration + min(end - self.iteration, most, until_pause)
            until_draw = self.schedule.until_draw(after=self.iteration)
            draws = self._make_room(self.schedule.draws(after=after) - self.schedule.draws(after=self.iteration))
            self._take(self.rng.random((after - self.iteration, self._numbers)), self._recorder, draws, until_draw)
            self.iteration = after
            blocks.append(draws)
            if steps and self.iteration % self.pause_every == 0:
                self._pause()
        return blocks

    def _make_room(self, number: int) -> Draws:
        """Return room for a number of draws, having made room in the recorder for the families they may add."""
        while len(self._recorder.key) - self._recorder.used[0] < number * self.p:
            self._recorder = enlarge(self._recorder)
        return new_draws(number, self.p)

    def seek(self, is_over: IsOver = never) -> None:  # noqa: B027
        """Go to a better start, where the sampler knows how to find one; by default stay."""

    def _pause(self) -> None:  # noqa: B027
        """Do what is due after ``pause_every`` iterations; by default nothing."""

    @abstractmethod
    def _take(self, uniforms: np.ndarray, recorder: Recorder, draws: Draws, until_draw: int) -> None:
        """Take one step for each row of ``uniforms``; draw after ``until_draw`` of them, and then as scheduled."""

    def families(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the families drawn so far: their children, and their parents as bits in words of 64."""
        used = int(self._recorder.used[0])
        return self._recorder.node[:used], self._recorder.parents[:used]

    def moves(self) -> dict[str, tuple[int, int]]:
        """Return, for each kind of move, how often it was proposed and how often accepted."""
        return {kind: (n, k) for kind, (n, k) in zip(self.kinds, self.state.moves.tolist(), strict=True)}
