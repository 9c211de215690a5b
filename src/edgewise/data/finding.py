"""What a look at data can find."""

from dataclasses import dataclass

CHANCE = 0.001
"""How often each kind of finding may turn up in clean Gaussian data, whatever the number of columns."""

FEWEST_ROWS = 20
"""With fewer rows, the shape of a distribution cannot be told, nor groups of rows."""

RANKS = "replace each value by the normal score of its rank (transform='ranks', or --ranks)"
"""What makes a column Gaussian whatever it was, and costs next to nothing if it was so already."""


@dataclass(frozen=True)
class Finding:
    """Something about data that the model of linear relations with Gaussian noise does not expect.

    Attributes
    ----------
    kind
        A word for programs, such as ``"skewed"``.
    columns
        The columns concerned; none if it is about rows.
    sentence
        What was seen, why it matters, and what to do.
    """

    kind: str
    columns: tuple[str, ...]
    sentence: str
