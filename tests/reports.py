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
