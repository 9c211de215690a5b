"""Constraints and targets of interventions, in YAML and JSON files."""

import json

import yaml

import edgewise as ew
from edgewise.priors.reading import read_mapping

from .damage import WORDS, choose, nested, strange_value
from .tables import measurements
from .using import QUICK, use_posterior

NAMES = ("Raf", "Mek", "Erk", "sex")
FIELDS = ("required", "forbidden", "tiers", "roots", "leaves", "ancestors", "not_ancestors")
BELIEFS = ("sparsity", "tier_order", "paths", "edge_beliefs")


def good_constraints(rng):
    """Return constraints that agree with each other."""
    return _write({"tiers": [["Raf"], ["Mek", "Erk"]], "required": [["Raf", "Erk"]], "leaves": ["sex"]}, rng)


def good_prior(rng):
    """Return beliefs of every kind."""
    believed = {
        "sparsity": 1.5,
        "tier_order": {"tiers": [["Raf"], ["Mek", "Erk"]], "strength": 2},
        "paths": [{"sources": ["Raf"], "targets": ["Erk"]}],
        "ancestors": {"pairs": [["Raf", "sex"]]},
        "edge_beliefs": [{"source": "Raf", "target": "Mek", "probability": 0.9}],
    }
    return _write(believed, rng)


def good_targets(rng):
    """Return the targets of interventions."""
    return _write({"f": [], "m": ["Mek"]}, rng)


def _write(value, rng):
    if rng.random() < 0.4:
        return "known.json", json.dumps(value).encode()
    return "known.yaml", yaml.safe_dump(value, allow_unicode=True, width=10**6).encode("utf-8", "surrogatepass")


def forge_mapping(file, rng):
    """Return a file that says something else, or nothing that makes sense."""
    name, content = file
    if content in BOMBS:
        return file
    if rng.random() < 0.15:
        return name, choose(rng, BOMBS)
    try:
        value = yaml.safe_load(content)
        for _ in range(int(rng.integers(1, 4))):
            value[choose(rng, (*value, *FIELDS, *BELIEFS, *WORDS[:8]))] = _strange_list(rng)
        return _write(value, rng)
    except (yaml.YAMLError, TypeError, AttributeError, ValueError, RecursionError):
        return name, content


def _strange_list(rng):
    """Return variables, pairs of them, or something else."""
    names = [choose(rng, (*NAMES, *NAMES, *NAMES, choose(rng, WORDS))) for _ in range(int(rng.integers(5)))]
    pairs = [[choose(rng, NAMES), choose(rng, NAMES)] for _ in range(int(rng.integers(5)))]
    return choose(rng, (names, pairs, pairs, [names], strange_value(rng), dict.fromkeys(names, pairs)))


def laughs(levels):
    """Return a short YAML file that stands for a list of 10^levels entries."""
    lines = ["roots: &a0 [Raf, Raf, Raf, Raf, Raf, Raf, Raf, Raf, Raf, Raf]"]
    lines += [f"key{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, levels)]
    return "\n".join([*lines, f"tiers: *a{levels - 1}"]).encode()


BOMBS = (
    laughs(3),
    laughs(9),
    laughs(9) + b"\n? *a8\n: [Raf]",
    b"roots: &a [*a]",
    b"&a {roots: *a}",
    b"tiers: &a [&b [*a, *b]]",
    b"? [Raf]\n: [Mek]",
    b"? &a {? *a : b}\n: c",
    b"roots: !!python/object/apply:os.system [exit]",
    b"roots: !!set {Raf, Mek}",
    b"<<: {roots: [Raf]}",
    b"--- {roots: [Raf]}\n--- {roots: [Mek]}",
    b"[" * 100_000,
    b"{" * 5000,
    b"roots: " + b"[" * 3000 + b"]" * 3000,
    b"- " * 5000,
    b"roots: [" + b"Raf, " * 5000 + b"]",
    b"required: [" + b"[Raf, Mek], " * 3000 + b"]",
    json.dumps({"roots": nested(900)}).encode(),
    b"\xff\xfe" + "roots: [Raf]".encode("utf-16-le"),
    b"roots: [Raf]\x00",
    b"\x80",
    b"",
    b"# nothing",
    b"roots: 12:30:45\nleaves: 0x1F\ntiers: 1e999",
)
"""Files that ask a reader for more than it can do, or for what it must not do."""


def use_constraints(path):
    """Read constraints, and draw a few DAGs under them."""
    use_posterior(ew.sample(measurements(), constraints=ew.Constraints.read(path), **QUICK))


def use_prior(path):
    """Read a prior, and draw a few DAGs under it."""
    use_posterior(ew.sample(measurements(), prior=ew.read_prior(path), **QUICK))


def use_targets(path):
    """Read the targets of interventions, and draw a few DAGs given them."""
    targets = read_mapping(path, what="targets", keys="the conditions as keys")
    use_posterior(ew.sample(measurements(), interventions="sex", targets=targets, **QUICK))


def fit_constraints(path, out):
    """Return the command that does the same, on a table beside the file."""
    table = path.parent / "measurements.csv"
    measurements().to_csv(table, index=False)
    return ["fit", table, "--out", out, "--constraints", path, "--iterations", "40", "--seed", "1", "--quiet"]


def fit_targets(path, out):
    """Return the command that does the same, on a table beside the file."""
    command = fit_constraints(path, out)
    command[4:6] = ["--interventions", "sex", "--targets", path]
    return command


def fit_prior(path, out):
    """Return the command that does the same, on a table beside the file."""
    command = fit_constraints(path, out)
    command[4] = "--prior"
    return command
