"""How a run ended, and what its posterior keeps of how it was made."""

import platform
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import Any, Self

from edgewise.data import Finding, summarize_data
from edgewise.errors import ArgumentError
from edgewise.posterior.record import as_plain
from edgewise.samplers import Schedule

from .chains import FEW_DRAWS, RunningChain, fewest_draws
from .lengths import Timed
from .plan import Plan
from .requests import Request, find_versions
from .stopping import SIGNALS, Cause, Interrupted


@dataclass(frozen=True)
class Ending:
    """How a run ended.

    Attributes
    ----------
    schedule
        As it was meant to be; of a run as long as its time allows, what became of it.
    timed
        How such a run was meant to be.
    iterations, draws, burn_in
        The least of all chains. Ctrl-C during burn-in ends it, in each chain where that is.
    is_cut
        Whether burn-in was cut short in any of them.
    stopped_by
        What stopped the run before its end, if anything did.
    seconds
        How long the chains took.
    """

    schedule: Schedule
    timed: Timed | None
    iterations: int
    draws: int
    burn_in: int
    is_cut: bool
    stopped_by: Cause | None
    seconds: float

    @classmethod
    def of(
        cls,
        running: list[RunningChain],
        schedule: Schedule,
        timed: Timed | None,
        stopped_by: Cause | None,
        seconds: float,
    ) -> Self:
        """Sum up what the chains have done; a run as long as its time allows is not stopped early by its end."""
        iterations = min(chain.chain.iteration for chain in running)
        burn_in = min(chain.chain.schedule.burn_in for chain in running)
        draws = fewest_draws(running)
        is_cut = any(mine.is_cut for mine in running)
        if timed is not None:
            schedule = Schedule(iterations, burn_in, running[0].chain.schedule.thin)
            is_whole = stopped_by == "time budget" and draws >= FEW_DRAWS and not is_cut
            stopped_by = None if is_whole else stopped_by
        return cls(schedule, timed, iterations, draws, burn_in, is_cut, stopped_by, seconds)

    def check_draws(self, time_budget: float | None) -> None:
        """Refuse to go on if there is nothing to go on with."""
        if self.draws:
            return
        if self.stopped_by in SIGNALS.values():
            raise Interrupted(self.stopped_by)
        raise ArgumentError(
            f"The time_budget of {time_budget} seconds ended after {self.iterations:,} iterations, before the first "
            f"draw: allow more time, or take a smaller thin."
        )

    @property
    def note(self) -> str | None:
        """A sentence on a run that was stopped early."""
        if self.stopped_by is None:
            return None
        timed, schedule = self.timed, self.schedule
        end = f" of {schedule.iterations:,}" if timed is None else ""
        meant = f"{schedule.burn_in:,}" if timed is None else timed.describe_burn_in()
        held = (
            f"only {self.draws:,} draws of each chain, made after {self.burn_in:,} iterations in place of a burn-in of "
            f"{meant}"
            if self.is_cut
            else "the draws until then"
        )
        return (
            f"The run was stopped by the {self.stopped_by} after {self.iterations:,}{end} iterations; the posterior "
            f"holds {held}."
        )


def record_run(
    plan: Plan,
    findings: Sequence[Finding] | None,
    ending: Ending,
    request: Request,
) -> dict[str, Any]:
    """Return the record of a run, as its posterior keeps it."""
    seen = None if findings is None else [asdict(finding) for finding in findings]
    return as_plain(
        {
            **plan.record,
            "engine": plan.sampler.describe_engine(plan.model),
            "data": plan.record["data"] and {**plan.record["data"], **_describe_data(plan, request), "findings": seen},
            "schedule": {**asdict(ending.schedule), "burn_in": ending.burn_in},
            "iterations_done": ending.iterations,
            "stopped_by": ending.stopped_by,
            "stopped_note": ending.note,
            "chains": request.chains,
            "seed": request.seed,
            "start": request.start if isinstance(request.start, str) else "given",
            "seconds": round(ending.seconds, 3),
            "date": datetime.now(UTC).isoformat(timespec="seconds"),
            "versions": {"python": platform.python_version(), **find_versions()},
        }
    )


def _describe_data(plan: Plan, request: Request) -> dict[str, Any]:
    """Return what there is to know of the data that does not decide what is drawn."""
    if plan.dataset is None:
        return {}
    name = {} if request.source is None else {"name": request.source}
    return name | summarize_data(plan.dataset)
