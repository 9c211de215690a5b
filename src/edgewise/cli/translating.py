"""Messages in the words of the command line.

Sentences are written where something is found, in the words of Python, which that place knows: ``missing='drop'``. At
the border of the command line they are turned into what can be typed there: ``--missing drop``. What stands in quotes
is from the user, such as the name of a column, and stays as it is.
"""

import re
from collections.abc import Callable

SAMPLERS = {
    "DagMCMC": "dag",
    "MinimalIMAP": "minimal-imap",
    "OrderMCMC": "order",
    "PartitionMCMC": "partition",
    "StructureMCMC": "structure",
}
SCORES = {"BGe": "bge", "GaussianBIC": "bic", "BDeu": "bdeu", "DegenerateGaussian": "degenerate-gaussian"}

OPTIONS = (
    "alpha", "burn_in", "chains", "columns", "constraints", "drop", "gamma", "header", "interventions", "iterations",
    "kinds", "max_parents", "missing", "prior", "sampler", "score", "seed", "start", "targets", "temperatures", "thin",
    "time_budget", "until",
)  # fmt: skip
"""Arguments of Python that are options of the command line, under the same name."""

WORDS = {
    "transform='ranks', or --ranks": "--ranks",
    "transform='ranks'": "--ranks",
    "missing='em', or --missing em": "--missing em",
    "header=True": "--header yes",
    "header=False": "--header no",
    "header must be true, false or 'auto'": "--header must be yes, no or auto",
    "gamma of Sparsity must": "--gamma must",
    "and gamma is given too": "and --gamma is given too",
    "temperatures must be None, 'auto'": "--temperatures must be auto",
    "such as (1, 2, 4)": "such as 1,2,4",
    "start must be 'auto', 'random', 'mmhc' or orders of the variables": "--start must be auto, random, mmhc or a file",
    "edgewise.extend": "edgewise resume with --iterations",
    "the prior Ancestors": "ancestors in --prior",
    "Constraints(required=..., forbidden=...)": "--constraints",
}
"""What has another form."""

_ANY = "|".join(OPTIONS)
_SETTING = rf"(?P<name>{_ANY})=(?P<value>'[^']*'|[-+.\w]*\w)"
_QUOTED = r"""(?<!\w)'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*\""""
_SUBJECT = rf"^(?P<subject>{_ANY})(?= (?:is|must|has|holds|mixes|needs|names)\b)"
_ALONE = r"\b(?P<alone>\w+_\w+)\b"
_SAMPLER = rf"\b(?P<sampler>{'|'.join(SAMPLERS)})(?:\(\)|\b(?!\())"
_SCORE = rf"\b(?P<score>{'|'.join(SCORES)})(?:\(\))"
_PARTS = re.compile("|".join((*map(re.escape, WORDS), _SETTING, _QUOTED, _SUBJECT, _ALONE, _SAMPLER, _SCORE)))


def translate(sentence: str) -> str:
    """Return a sentence with what Python calls its arguments replaced by options of the command line.

    Examples
    --------
    >>> translate("Column 'time_budget' has gaps: take missing='drop', or a greater time_budget.")
    "Column 'time_budget' has gaps: take --missing drop, or a greater --time-budget."
    """
    return _PARTS.sub(_replace, sentence)


def _replace(found: re.Match[str]) -> str:
    if found[0] in WORDS:
        return WORDS[found[0]]
    forms: dict[str, Callable[[str], str]] = {
        "name": lambda name: f"{_option(name)} {found['value'].strip(chr(39))}",
        "subject": _option,
        "alone": lambda name: _option(name) if name in OPTIONS else name,
        "sampler": lambda name: f"--sampler {SAMPLERS[name]}",
        "score": lambda name: f"--score {SCORES[name]}",
    }
    return next((write(found[part]) for part, write in forms.items() if found[part] is not None), found[0])


def _option(name: str) -> str:
    return f"--{name.replace('_', '-')}"
