"""What the pages take for granted: the files and names that their code speaks of, simulated."""

import os
from collections.abc import Callable
from pathlib import Path

import numpy as np

import edgewise as ew

PROTEINS = ["EGF", "NRG1", "EGFR", "ERBB3", "RAF", "MEK", "ERK"]

SHORT = 2000
"""Iterations of runs that a page only takes for granted."""

Namespace = dict[str, object]


class MissingDataError(Exception):
    """A page speaks of a public data set that is not here."""


def _write_measurements(namespace: Namespace) -> None:
    """Write measurements.csv, 200 rows of a few proteins."""
    ew.simulate(len(PROTEINS), 200, seed=8).data.set_axis(PROTEINS, axis=1).to_csv("measurements.csv", index=False)


def _write_cohort(namespace: Namespace) -> None:
    """Write cohort.csv, with a patient, a grade and gaps; screen.csv, with conditions; expression.csv, skewed."""
    rng = np.random.default_rng(1)
    cohort = ew.simulate(4, 300, seed=3).data.set_axis(["age", "marker", "size", "grade"], axis=1)
    cohort["grade"] = cohort["grade"].rank(pct=True).mul(3).astype(int)
    cohort.loc[rng.choice(300, 20, replace=False), "marker"] = np.nan
    cohort.insert(0, "patient", [f"P{i}" for i in range(300)])
    cohort.to_csv("cohort.csv", index=False)
    screen = ew.simulate(4, 400, seed=4).data.set_axis(["RAF", "MEK", "ERK", "AKT"], axis=1)
    screen.loc[200:, "MEK"] = rng.normal(size=200)
    screen["condition"] = np.repeat(["control", "inhibitor"], 200)
    screen.to_csv("screen.csv", index=False)
    Path("targets.yaml").write_text("control: []\ninhibitor: [MEK]\n")
    np.exp(ew.simulate(5, 200, seed=5).data).to_csv("expression.csv", index=False)


def _write_plates(namespace: Namespace) -> None:
    """Write five plates."""
    Path("plates").mkdir()
    for k in range(5, 10):
        ew.simulate(5, 200, seed=k).data.to_csv(f"plates/plate{k:02d}.csv", index=False)


def _write_knowledge(namespace: Namespace) -> None:
    """Write known.yaml and beliefs.yaml, and name the proteins by their layers."""
    Path("known.yaml").write_text(
        "required: [[RAF, MEK]]\ntiers: [[EGF, NRG1], [EGFR, ERBB3], [RAF, MEK, ERK]]\nnot_ancestors: [[ERK, EGFR]]\n"
    )
    Path("beliefs.yaml").write_text("sparsity: 1\nancestors: {pairs: [[RAF, ERK]], strength: 2}\n")
    namespace.update(ligands=PROTEINS[:2], receptors=PROTEINS[2:4], cytosolic=PROTEINS[4:])
    p = len(PROTEINS)
    table = np.full((p, p), 0.2)
    np.fill_diagonal(table, 0.0)
    namespace["table"] = table


def _name_data(namespace: Namespace) -> None:
    """Name the data of measurements.csv, and a posterior and a DAG of them."""
    namespace["ew"] = ew
    namespace["data"] = data = ew.load_data("measurements.csv")
    namespace["posterior"] = posterior = ew.sample(data, seed=1, progress=False)
    namespace["dag"] = posterior.map_dag()


def _write_runs(namespace: Namespace) -> None:
    """Write data and results of two conditions."""
    for name, seed in (("control", 8), ("treated", 9)):
        data = ew.simulate(len(PROTEINS), 200, seed=seed).data.set_axis(PROTEINS, axis=1)
        data.to_csv(f"{name}.csv", index=False)
        Path(name).mkdir()
        ew.sample(data, iterations=SHORT, seed=1, progress=False).save(f"{name}/posterior.nc")


def _find_public_data(namespace: Namespace) -> None:
    """Put the data of Sachs et al. where the page has them."""
    folder = os.environ.get("EDGEWISE_DATA")
    if not folder:
        raise MissingDataError("EDGEWISE_DATA is not set: the data of Sachs et al. are not here.")
    Path("sachs").symlink_to(Path(folder) / "sachs", target_is_directory=True)


SCENES: dict[str, tuple[Callable[[Namespace], None], ...]] = {
    "README.md": (_write_measurements, _write_cohort, _write_runs),
    "docs/index.md": (_write_measurements,),
    "docs/quickstart.md": (_write_measurements,),
    "docs/how-to/data.md": (_write_cohort,),
    "docs/how-to/knowledge.md": (_write_measurements, _write_knowledge),
    "docs/how-to/disagreement.md": (_write_measurements,),
    "docs/how-to/samplers.md": (_write_measurements, _name_data),
    "docs/how-to/other-libraries.md": (_write_measurements, _name_data),
    "docs/tutorials/sachs.md": (_find_public_data,),
    "docs/tutorials/cluster.md": (_write_measurements, _write_plates),
}


def set_scene(page: str, namespace: Namespace) -> None:
    """Write the files that a page reads into the present directory, and the names it has not defined.

    Raises
    ------
    MissingDataError
        If the page needs a public data set that is not here.
    """
    for prepare in SCENES.get(page, ()):
        prepare(namespace)
