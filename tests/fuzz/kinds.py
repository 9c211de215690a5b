"""The kinds of files that strangers send. One more is one more entry in :data:`KINDS`."""

from collections.abc import Callable
from typing import NamedTuple

from .checkpoints import forge_checkpoint, good_checkpoint, resume_checkpoint, use_checkpoint
from .damage import damage
from .knowledge import (
    fit_constraints,
    fit_prior,
    fit_targets,
    forge_mapping,
    good_constraints,
    good_prior,
    good_targets,
    use_constraints,
    use_prior,
    use_targets,
)
from .posteriors import forge_posterior, good_posterior, report_file, use_file
from .tables import fit_table, forge_parquet, forge_text, good_parquet, good_text, use_table


class Kind(NamedTuple):
    """A kind of file.

    ``good(rng)`` returns a file, its name and its content, and ``forge(file, rng)`` one that looks like it but says
    something else. ``use(path)`` does all that is done with such files, and ``command(path, out)`` returns the
    arguments of the command that does.
    """

    good: Callable
    forge: Callable
    use: Callable
    command: Callable


KINDS = {
    "text table": Kind(good_text, forge_text, use_table, fit_table),
    "Parquet table": Kind(good_parquet, forge_parquet, use_table, fit_table),
    "constraints": Kind(good_constraints, forge_mapping, use_constraints, fit_constraints),
    "targets": Kind(good_targets, forge_mapping, use_targets, fit_targets),
    "prior": Kind(good_prior, forge_mapping, use_prior, fit_prior),
    "posterior": Kind(good_posterior, forge_posterior, use_file, report_file),
    "checkpoint": Kind(good_checkpoint, forge_checkpoint, use_checkpoint, resume_checkpoint),
}

FORGED = 0.7
"""Share of the files that are forged, up to three times; bytes of the others are damaged."""


def spoil(kind, rng):
    """Return the name and the content of a file of a kind, changed at random."""
    name, content = file = kind.good(rng)
    if rng.random() > FORGED:
        return name, damage(content, rng)
    for _ in range(int(rng.integers(1, 4))):
        file = kind.forge(file, rng)
    return file
