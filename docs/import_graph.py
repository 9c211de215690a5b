"""Draw which folders of the package import which others: python docs/import_graph.py.

Writes import_graph.svg beside this file, and fails if folders import each other in a cycle. All imports count: at the
top of a module, inside functions, for types alone, and the public names that a function takes from ``import edgewise as
ew``. A folder stands above all that it imports. The dark lines say who builds on whom; whatever else is imported, and
could be reached along them, is drawn pale. The edges themselves are in the metadata of the picture, for a test to see
whether it is up to date.
"""

import ast
import html
import json
import sys
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import networkx as nx
import numpy as np

import edgewise
from edgewise.report.layout import lay_out

SOURCE = Path(edgewise.__file__).parent
PICTURE = Path(__file__).with_name("import_graph.svg")

WIDE, HIGH = 128, 92
"""Pixels from one folder to the next, and from one layer to the next."""

BOX = 110, 32
"""Pixels of a folder's box."""

LANE = 0.12
"""The room of a line that passes a layer, where a folder has 1."""

CAPTION = "An arrow leads from a folder to what it imports. Pale: it could be reached along dark arrows, too."


def find_folders(path: Path) -> Iterator[str]:
    """Yield the folder, or the module beside the folders, of everything of this package that a file imports."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    home = path.relative_to(SOURCE).parts[:-1]
    aliases = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names = [alias.name.split(".") for alias in node.names]
            yield from (name[1] for name in names if name[0] == "edgewise" and len(name) > 1)
            aliases |= {alias.asname or alias.name for alias in node.names if alias.name == "edgewise"}
        elif isinstance(node, ast.ImportFrom):
            module = tuple(node.module.split(".")) if node.module else ()
            full = ("edgewise", *home)[: len(home) + 2 - node.level] + module if node.level else module
            if full == ("edgewise",):
                yield from (edgewise._HOME.get(alias.name, alias.name) for alias in node.names)
            elif full[0] == "edgewise":
                yield full[1]
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in aliases:
            yield edgewise._HOME[node.attr]


def find_edges() -> list[tuple[str, str]]:
    """Return which folder imports which other one, in the order of the alphabet."""
    folders = {path.parent.name for path in SOURCE.glob("*/__init__.py")}
    found = {
        (path.relative_to(SOURCE).parts[0], other) for path in SOURCE.rglob("*/*.py") for other in find_folders(path)
    }
    return sorted((one, other) for one, other in found if other in folders and one != other)


def check_order(edges: list[tuple[str, str]]) -> None:
    """End the program if folders import each other in a cycle."""
    try:
        cycle = nx.find_cycle(nx.DiGraph(edges))
    except nx.NetworkXNoCycle:
        return
    sys.exit(f"These folders import each other in a cycle: {' -> '.join([*(one for one, _ in cycle), cycle[0][0]])}.")


def draw(edges: list[tuple[str, str]]) -> str:
    """Return the picture."""
    graph = nx.DiGraph(edges)
    needed = nx.transitive_reduction(graph)
    names = sorted(graph)
    dag = nx.to_numpy_array(graph, names, dtype=bool)
    layout = lay_out(dag, lane=LANE)
    across = [*layout.across, *(place for places in layout.bends.values() for place in places)]
    left, right = min(across), max(across)

    def point(across: float, down: float) -> tuple[float, float]:
        return WIDE * (across - left + 0.6), HIGH * (down + 0.5)

    lines, boxes = [], []
    for i, j in sorted(np.argwhere(dag).tolist(), key=lambda edge: needed.has_edge(names[edge[0]], names[edge[1]])):
        places = [layout.across[i], *layout.bends.get((i, j), []), layout.across[j]]
        stops = [point(across, layout.down[i] + number) for number, across in enumerate(places)]
        stops[0] = stops[0][0], stops[0][1] + BOX[1] / 2
        stops[-1] = stops[-1][0], stops[-1][1] - BOX[1] / 2 - 7
        path = f"M{stops[0][0]:.1f} {stops[0][1]:.1f}"
        for (x, y), (to_x, to_y) in pairwise(stops):
            middle = (y + to_y) / 2
            path += f"C{x:.1f} {middle:.1f} {to_x:.1f} {middle:.1f} {to_x:.1f} {to_y:.1f}"
        kind = "needed" if needed.has_edge(names[i], names[j]) else "more"
        title = html.escape(f"{names[i]} imports {names[j]}")
        lines.append(f'<path class="{kind}" d="{path}" marker-end="url(#{kind})"><title>{title}</title></path>')
    for name, across, down in zip(names, layout.across, layout.down, strict=True):
        x, y = point(across, down)
        boxes.append(
            f'<rect x="{x - BOX[0] / 2:.1f}" y="{y - BOX[1] / 2:.1f}" width="{BOX[0]}" height="{BOX[1]}" rx="6"/>'
            f'<text x="{x:.1f}" y="{y + 5:.1f}">{html.escape(name)}</text>'
        )
    width, height = WIDE * (right - left + 1.2), HIGH * (int(layout.down.max()) + 1) + 30
    heads = "".join(
        f'<marker id="{kind}" class="{kind}" viewBox="0 0 8 8" refX="1" refY="4" markerWidth="8" markerHeight="8" '
        f'markerUnits="userSpaceOnUse" orient="auto"><path d="M0 0 8 4 0 8z"/></marker>'
        for kind in ("more", "needed")
    )
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" width="{width:.0f}" '
            f'height="{height:.0f}">',
            f"<metadata>{json.dumps(edges)}</metadata>",
            "<title>Which folders of Edgewise import which</title>",
            "<style>path{fill:none;stroke-width:1.6}path.needed{stroke:#1f5f8b}path.more{stroke:#b4c0ca;stroke-width:1}"
            "marker.needed path{fill:#1f5f8b;stroke:none}marker.more path{fill:#b4c0ca;stroke:none}"
            "rect{fill:#eef4f9;stroke:#1f5f8b}text{font:14px sans-serif;text-anchor:middle;fill:#16324a}"
            "text.caption{font-size:12px;fill:#5b6b78}</style>",
            f"<defs>{heads}</defs>",
            '<rect width="100%" height="100%" style="fill:#fff;stroke:none"/>',
            *lines,
            *boxes,
            f'<text class="caption" x="{width / 2:.0f}" y="{height - 10:.0f}">{CAPTION}</text>',
            "</svg>",
            "",
        ]
    )


if __name__ == "__main__":
    found = find_edges()
    check_order(found)
    PICTURE.write_text(draw(found), encoding="utf-8")
