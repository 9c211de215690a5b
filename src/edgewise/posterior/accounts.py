"""What a run made of its data, in sentences: read by people in the terminal and in the report."""

from collections import Counter
from typing import Any

from edgewise.wording import count, enumerate_items, quote

MODELS = {
    "BGe": "whose relations are linear with Gaussian noise",
    "GaussianBIC": "whose relations are linear with Gaussian noise",
    "DegenerateGaussian": "whose relations are linear with Gaussian noise, where a level is a number, 0 or 1",
    "BDeu": "in which each variable has a table of probabilities for each combination of its parents' levels",
}


def describe_model(info: dict[str, Any]) -> str:
    """Return what the score of a run takes DAGs for, as the end of "directed acyclic graphs"."""
    name = (info.get("score") or {}).get("name", "BGe")
    return MODELS.get(name, f"scored by {name}")


def describe_data(info: dict[str, Any]) -> list[str]:
    """Return sentences on how the data of a run were taken; none for complete measurements without interventions.

    Examples
    --------
    >>> describe_data({"data": {"n": 90, "kinds": {"sex": "binary", "age": "continuous"}, "dropped_rows": 10}})
    ['Of 2 columns, 1 is binary and 1 is continuous.', '10 rows with missing values were left out.']
    """
    data = info.get("data") or {}
    sentences = []
    if data.get("kinds"):
        kinds = Counter(data["kinds"].values())
        listed = enumerate_items(
            [f"{number} {'is' if number == 1 else 'are'} {kind}" for kind, number in kinds.items()]
        )
        sentences.append(f"Of {count(sum(kinds.values()), 'column')}, {listed}.")
    if data.get("transform") == "ranks":
        sentences.append(
            "Measurements were replaced by the normal scores of their ranks, which are the units of effects."
        )
    if data.get("dropped_rows"):
        were = "was" if data["dropped_rows"] == 1 else "were"
        sentences.append(f"{count(data['dropped_rows'], 'row')} with missing values {were} left out.")
    if data.get("effective_rows"):
        sentences.append(
            f"{count(data['missing_cells'], 'cell')} {'is' if data['missing_cells'] == 1 else 'are'} missing; what is "
            f"known is worth {data['effective_rows']} of the {data['n']} rows."
        )
    if data.get("conditions"):
        listed = enumerate_items(
            [
                f"{quote(condition['name'])} ({count(condition['rows'], 'row')}"
                f"{', set: ' + enumerate_items(condition['targets']) if condition['targets'] else ''})"
                for condition in data["conditions"]
            ]
        )
        sentences.append(f"Rows were measured under {count(len(data['conditions']), 'condition')}: {listed}.")
    return sentences
