"""What is done with a posterior, wherever it comes from."""

import re
import tempfile
from contextlib import suppress
from pathlib import Path

from edgewise.cli.results import write_results
from edgewise.errors import ArgumentError, DataError

QUICK = {"iterations": 40, "thin": 4, "chains": 2, "seed": 1, "progress": False}


def use_posterior(posterior):
    """Make all summaries and the report of a posterior, and check that no number in them is none."""
    with tempfile.TemporaryDirectory() as directory:
        write_results(posterior, Path(directory))
        check_page((Path(directory) / "report.html").read_text(encoding="utf-8"), posterior)
    check_tables(posterior)
    for kind in ("directed", "undirected", "compelled"):
        for chosen in {None, False}:
            table = posterior.edge_probabilities(kind, rao_blackwell=chosen)
            assert table.to_numpy().min() >= 0, "a probability is negative or no number"
            assert table.to_numpy().max() <= 1, "a probability is above one"
    for summary in ("path_probabilities", "v_structures", "edge_counts", "degrees", "top_cpdags", "consensus_dag"):
        getattr(posterior, summary)()
    repr(posterior)
    with suppress(ArgumentError, DataError):  # levels and runs without data have no effects, nor have forged statistics
        posterior.total_effects(draws=20, seed=1)
        posterior.intervene({posterior.nodes[0]: 1.0}, draws=20, seed=1)


def check_tables(posterior):
    """Check that the tables have a name and a probability wherever they should."""
    edges, pairs = posterior.edges(), posterior.pairs()
    assert {*edges["source"], *edges["target"], *pairs["a"], *pairs["b"]} <= {*posterior.nodes}, "a name is lost"
    assert not edges[["probability", "undirected", "compelled"]].isna().any(axis=None), "a probability is no number"
    assert not pairs[["joined", "forward", "backward"]].isna().any(axis=None), "a probability is no number"


def check_page(page, posterior):
    """Check that a report shows no "nan", unless it is in a name."""
    shown = re.sub(r"<script.*?</script>|<style.*?</style>", "", page, flags=re.DOTALL)
    given = f"{posterior.nodes} {posterior.info}"
    if not re.search("nan", given, re.IGNORECASE):
        assert not re.search(r"\bnan\b", shown, re.IGNORECASE), "the report shows a number that is none"
