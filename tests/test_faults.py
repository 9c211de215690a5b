"""Mistakes that one could make, each made in a copy of the tree, where the test that is named must fail.

They were chosen before it was known whether a test would notice, mostly by reading the sources alone, and most change
a result by little. Those that no test noticed at first have had one since.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parents[1]


class Fault(NamedTuple):
    """What stands in a file of the package, once, what is put in its place, and the test that notices."""

    file: str
    right: str
    wrong: str
    test: str


DAG_MCMC = "tests/samplers/test_dag_mcmc.py"
TWIN = f"{DAG_MCMC}::test_compiled_moves_are_as_probable_as_those_of_the_twin"

FAULTS = {
    "a swap without its correction": Fault(
        "_kernels/dags/changes.py",
        "return node, room.log_number[sets.number[u]] - room.log_number[sets.number[other]]",
        "return node, 0.0",
        f"{TWIN}[swap-uneven candidates]",
    ),
    "one way back too few": Fault(
        "_kernels/dags/changes.py",
        "log_ratio = -math.log(outsiders + 1) - target.log_share[node]",
        "log_ratio = -math.log(max(outsiders, 1)) - target.log_share[node]",
        f"{TWIN}[outside-one candidate]",
    ),
    "sums of halves without the last candidate of the lower one": Fault(
        "_kernels/dags/filling.py",
        "if k + 1 == candidates // 2:",
        "if k + 2 == candidates // 2:",
        f"{TWIN}[relocate-all candidates]",
    ),
    "a sum over orders of the largest term alone": Fault(
        "_kernels/dags/order_sums.py",
        "log_sum[members] = top + math.log(total) if top > -np.inf else -np.inf",
        "log_sum[members] = top",
        f"{TWIN}[jump-all candidates]",
    ),
    "chains that disagree on directions alone": Fault(
        "posterior/diagnostics.py",
        "is_apart = (np.round(np.ptp(printed, axis=1), DIGITS) > DISAGREE).any(axis=0)",
        "is_apart = (np.round(np.ptp(printed[:1], axis=1), DIGITS) > DISAGREE).any(axis=0)",
        "tests/posterior/test_pairs.py",
    ),
    "edges from the second word of variables": Fault(
        "_kernels/dags/changes.py",
        "if w == i // WORD else np.uint64(0)",
        "if w == 0 else np.uint64(0)",
        f"{DAG_MCMC}::test_directions_among_more_than_64_variables_are_drawn_as_often",
    ),
    "layers by at least": Fault(
        "_kernels/dags/beyond.py",
        "is_late = tier[t, u] < tier[t, v] and level[u] > level[v]",
        "is_late = tier[t, u] < tier[t, v] and level[u] >= level[v]",
        f"{TWIN}[relocate-layers]",
    ),
    "layers of the second word of variables": Fault(
        "_kernels/dags/beyond.py",
        "level[w * WORD + first(word)] + 1",
        "level[first(word)] + 1",
        "tests/priors/test_priors.py::test_layers_over_more_than_one_word_of_variables",
    ),
    "ancestors of the second word of variables": Fault(
        "_kernels/summaries/edge_odds.py",
        "u = w * WORD + first(word)",
        "u = first(word)",
        f"{DAG_MCMC}::test_odds_do_not_depend_on_where_variables_stand",
    ),
    "a stale position": Fault(
        "_kernels/orders/relocation.py",
        "(leg == 1 and at >= journey[START])",
        "(leg == 1 and at > journey[START])",
        "tests/samplers/test_relocation.py::test_the_target_is_left_unchanged[edges-full]",
    ),
    "the threshold of the position before": Fault(
        "_kernels/full_conditioning/exchanges.py",
        "limit = way.threshold[p - 1] * C[p, a]",
        "limit = way.threshold[p - 2] * C[p, a]",
        "tests/samplers/test_steps.py::test_the_chain_equals_algorithms_1_and_2[200-2]",
    ),
    "shrinking without the penalty": Fault(
        "_kernels/grow_shrink/tree.py",
        "return tree.gain[0, 0] - part - way.penalty",
        "return tree.gain[0, 0] - part",
        "tests/samplers/test_grow_shrink.py::test_a_walk_in_the_tree_is_the_greedy_path[well_behaved-12-20-score]",
    ),
    "ways to split a partition": Fault(
        "_kernels/rivals/partition_mcmc.py",
        "        math.log(size - 1.0) + math.lgamma(size + 1.0)",
        "        math.lgamma(size + 1.0)",
        "tests/samplers/test_partition_mcmc.py::test_the_transition_matrix_leaves_the_target_unchanged[3-settings1-None]",
    ),
    "half of a rule of Meek": Fault(
        "_kernels/graphs/orientation.py",
        "not dag[z, y] and (dag[z, x] or dag[x, z])",
        "not dag[z, y] and dag[z, x]",
        "tests/graphs/test_equivalence.py::test_knowledge_compels_what_it_does_among_all_dags_with_four_nodes",
    ),
    "a link that is not looked at again": Fault(
        "_kernels/beliefs/ancestry.py",
        "(ruled and (spreads or j <= last_position))",
        "(ruled and (spreads or j < last_position))",
        "tests/samplers/test_constraints.py"
        "::test_the_link_to_a_required_ancestor_is_the_same_however_the_order_was_reached[7]",
    ),
    "small units taken for none": Fault(
        "_kernels/basics/regression.py",
        "if variance[member] > SINGULAR * matrix[member, member] else 0.0",
        "if variance[member] > SINGULAR else 0.0",
        "tests/scores/test_parts.py::test_gains_are_so_in_all_units",
    ),
    "variables of small units never added": Fault(
        "_kernels/basics/regression.py",
        "        and residuals.variance[x] > SINGULAR * matrix[x, x]",
        "        and residuals.variance[x] > SINGULAR",
        "tests/scores/test_parts.py::test_units_make_no_difference",
    ),
    "variables of small units taken for determined": Fault(
        "_kernels/scores/log_det.py",
        "left * left > SINGULAR * score.matrix[node, node]",
        "left * left > SINGULAR",
        "tests/scores/test_parts.py::test_units_make_no_difference",
    ),
    "the last of the small counts": Fault(
        "_kernels/scores/counts.py",
        "for n in range(2, SMALL + 1):",
        "for n in range(2, SMALL):",
        "tests/scores/test_bdeu.py::test_a_column_with_large_counts_by_its_formula",
    ),
    "the smallest group limits all": Fault(
        "scores/grouping.py",
        "int(most.max())) - 1, 0)",
        "int(most.min())) - 1, 0)",
        "tests/scores/test_blocks.py::test_more_columns_than_rows_have_no_bic[6]",
    ),
    "tiers without the paths between them": Fault(
        "priors/constraints.py",
        "return self.not_ancestors | self.before.T",
        "return self.not_ancestors",
        "tests/graphs/test_equivalence.py::test_knowledge_compels_what_it_does_among_all_dags_with_four_nodes",
    ),
    "an edge that is listed twice counts once": Fault(
        "priors/edge_beliefs.py",
        'np.add.at(terms.edge, (sources, targets), table["log_odds"].to_numpy())',
        'terms.edge[sources, targets] += table["log_odds"].to_numpy()',
        "tests/priors/test_priors.py::test_beliefs_about_edges_are_read_from_every_form",
    ),
    "the error of a chain for that of a difference": Fault(
        "posterior/diagnostics.py",
        "error = np.sqrt(2 * np.clip(",
        "error = np.sqrt(np.clip(",
        "tests/posterior/test_diagnostics.py::test_chance_goes_as_far_as_four_standard_errors_of_a_difference",
    ),
    "pairs on one side of the diagonal": Fault(
        "posterior/diagnostics.py",
        "either = is_apart.any(axis=0) | is_apart.any(axis=0).T",
        "either = is_apart.any(axis=0)",
        "tests/posterior/test_diagnostics.py::test_what_is_told_must_agree_as_well",
    ),
    "rare edges with the errors of common ones": Fault(
        "posterior/edge_errors.py",
        "number = share * np.minimum(effective, draws)",
        "number = np.minimum(effective, draws)",
        "tests/posterior/test_comparison.py::test_few_draws_that_agree_have_an_error",
    ),
}


def copy_tree(folder):
    for name in ("src", "tests"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", folder)
    (folder / "docs").mkdir()


def run_tests(folder, *tests):
    """Run tests of a copy of the tree on the package of that copy."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST")}
    environment |= {"PYTHONPATH": str(folder / "src"), "NUMBA_CACHE_DIR": str(folder / ".cache")}
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", *tests]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)  # noqa: S603


@pytest.mark.slow
@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS)
def test_a_fault_is_noticed(fault, tmp_path):
    copy_tree(tmp_path)
    path = tmp_path / "src" / "edgewise" / fault.file
    text = path.read_text(encoding="utf-8")
    assert text.count(fault.right) == 1
    path.write_text(text.replace(fault.right, fault.wrong), encoding="utf-8")
    done = run_tests(tmp_path, fault.test)
    assert done.returncode == pytest.ExitCode.TESTS_FAILED, done.stdout
    assert f"FAILED {fault.test}" in done.stdout
    assert not any(error in done.stdout for error in ("SyntaxError", "NameError", "TypingError"))


@pytest.mark.slow
def test_without_a_fault_these_tests_pass(tmp_path):
    copy_tree(tmp_path)
    done = run_tests(tmp_path, *dict.fromkeys(fault.test for fault in FAULTS.values()))
    assert done.returncode == pytest.ExitCode.OK, done.stdout
