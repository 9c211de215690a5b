"""Posteriors to make reports of."""

import edgewise as ew

HOSTILE = (
    "<script>window.hacked = true</script>",
    "\"quoted\" & 'quoted' <b>bold</b> &amp;",
    "Ünïcödé 蛋白质 🧬",
    "long " * 40,
    "back\\slash %{x} $x^2$ ${7*7} {{ 7*7 }}",
    "\u202eright to left",
    "]]></script><img src=x onerror=window.hacked=true>",
)


def sample(data, **settings):
    return ew.sample(data, **{"iterations": 4000, "thin": 10, "seed": 1, "progress": False, **settings})


def count_pairs(edges):
    """Return how many pairs a table of edges joins with probability 0.5 or more, and in how many a direction is clear.

    Clear is a direction that has three quarters of the probability.
    """
    found = edges[edges["undirected"] >= 0.5]
    pairs = {frozenset(pair) for pair in zip(found["source"], found["target"], strict=True)}
    return len(pairs), int((found["probability"] >= 0.75 * found["undirected"]).sum())
