"""What is exported is read back: by networkx, by pandas, by a small parser of DOT, and by Benchpress's rules."""

import csv
import os
import re

import networkx as nx
import numpy as np
import pandas as pd
import pytest

import edgewise as ew
from edgewise.posterior.exports import WRITERS, edge_list, export, to_networkx, write_pairs, write_trajectory
from naive.graphs import random_dag
from records import make_posterior
from sentences import check_sentence

ATTRIBUTES = ["probability", "undirected", "compelled"]
ENDINGS = list(WRITERS)

HOSTILE = [
    '"Raf"',
    "it's",
    "two\nlines",
    "two\r\nlines",
    "old\rMac",
    "\ttab ",
    "Größe µ 蛋白 🧬",
    "<script>alert(1)</script>",
    "<<b>bold</b>>",
    "a,b;c",
    "a->b",
    "\\",
    "ends with \\",
    "\\N",
    "\\n",
    '\\"',
    "R&D",
    "a&lt;b",
    "&#60;",
    "]]>",
    "<!--",
    "digraph",
    "node",
    "1.5",
    '"; evil [label="x',
    "'=1+1",
    "NA",
    "\u2028\x85",
    " ",
]
UNWRITABLE = ["\x00\x1b[31m", "bell\x07", "half \ud800", "\uffff"]
REPLACED = ["��[31m", "bell�", "half �", "�"]


def made(nodes=None, p=5, shape=(2, 40), density=0.5):
    """Draws that often repeat the one before, as those of a chain do."""
    p = len(nodes) if nodes else p
    rng = np.random.default_rng(p)
    few = np.array([random_dag(p, rng, density=density) for _ in range(6)])
    chosen = np.repeat(rng.integers(len(few), size=shape), 3, axis=1)
    return make_posterior(few[chosen], nodes=nodes)


def sampled():
    data = ew.simulate(5, 60, seed=4).data.set_axis(list("edcba"), axis=1)
    return ew.sample(data, iterations=3000, thin=10, chains=3, seed=2, progress=False)


@pytest.fixture(scope="module", params=[sampled, made, lambda: made(p=2), lambda: made(HOSTILE, density=0.1)])
def posterior(request):
    return request.param()


def refusal(error, function, *arguments, **keywords):
    with pytest.raises(error) as caught:
        function(*arguments, **keywords)
    return check_sentence(str(caught.value))


@pytest.mark.parametrize("threshold", [0, 0.3, 0.5, 1])
def test_the_graph_is_the_table(posterior, threshold):
    graph = to_networkx(posterior, threshold)
    table = posterior.edges(threshold)
    assert tuple(graph.nodes) == posterior.nodes
    assert graph.number_of_edges() == len(table)
    for row in table.itertuples():
        disagreed = posterior.disagreement[posterior.nodes.index(row.source), posterior.nodes.index(row.target)]
        assert graph.edges[row.source, row.target] == {
            **{name: getattr(row, name) for name in ATTRIBUTES},
            "told": row.compelled >= 0.75 * row.undirected and not disagreed,
            "disagreed": disagreed,
        }
    assert {type(value) for *_, data in graph.edges(data=True) for value in data.values()} <= {float, bool}


def test_edges_are_those_at_the_threshold_and_above():
    dags = np.zeros((1, 4, 3, 3), dtype=bool)
    dags[:, :2, 0, 1] = True
    dags[:, :3, 2, 1] = True
    posterior = make_posterior(dags, nodes=["a", "b", "c"])
    assert set(to_networkx(posterior).edges) == {("a", "b"), ("c", "b")}
    assert set(to_networkx(posterior, 0.5).edges) == {("a", "b"), ("c", "b")}
    assert set(to_networkx(posterior, 0.51).edges) == {("c", "b")}
    assert list(to_networkx(posterior, 1).nodes) == ["a", "b", "c"]
    assert to_networkx(posterior, 1).number_of_edges() == 0


def test_a_posterior_hands_itself_on(posterior):
    assert nx.utils.graphs_equal(posterior.to_networkx(0.3), to_networkx(posterior, 0.3))
    assert nx.utils.graphs_equal(posterior.to_networkx(), to_networkx(posterior))
    assert posterior.edge_list(0.3) == edge_list(posterior, 0.3)
    assert posterior.edge_list() == edge_list(posterior)


@pytest.mark.parametrize("threshold", [-0.1, 1.1, np.nan, "high"])
def test_thresholds_are_probabilities(tmp_path, threshold):
    posterior = made()
    for function, arguments in [(to_networkx, ()), (edge_list, ()), (export, (tmp_path / "a.csv",))]:
        said = refusal(ew.ArgumentError, function, posterior, *arguments, threshold=threshold)
        assert "threshold is a probability" in said
    assert not os.listdir(tmp_path)


@pytest.mark.parametrize("threshold", [0, 0.5, 0.9])
def test_the_edge_list_makes_a_dag(posterior, threshold):
    edges = edge_list(posterior, threshold)
    assert nx.is_directed_acyclic_graph(nx.DiGraph(edges))
    table = posterior.edges(threshold)
    every = list(zip(table["source"], table["target"], strict=True))
    assert [edge for edge in every if edge in set(edges)] == edges
    assert len(set(edges)) == len(edges)
    for number, edge in enumerate(every):  # what is left out closes a cycle with what is more probable
        if edge not in edges:
            taken = [other for other in every[:number] if other in edges]
            assert not nx.is_directed_acyclic_graph(nx.DiGraph([*taken, edge]))


def test_the_edge_list_leaves_out_the_weakest_edge_of_a_cycle():
    dags = np.zeros((1, 20, 3, 3), dtype=bool)
    dags[:, :16, 0, 1] = True
    dags[:, :10, 1, 2] = dags[:, 16:, 1, 2] = True
    dags[:, 10:, 2, 0] = True
    posterior = make_posterior(dags, nodes=["a", "b", "c"])
    assert len(posterior.edges(0.4)) == 3
    assert edge_list(posterior, 0.4) == [("a", "b"), ("b", "c")]
    assert edge_list(posterior, 0.75) == [("a", "b")]
    assert edge_list(posterior, 1) == []


def read_table(path):
    """Read a CSV file without guessing: only what is a number in every row is one."""
    table = pd.read_csv(path, dtype=str, keep_default_na=False)
    numbers = table.columns.difference(["source", "target", "added", "removed", "a", "b", "direction"])
    return table.assign(**{name: [float(number) for number in table[name]] for name in numbers})


def test_csv_is_the_table(tmp_path, posterior):
    export(posterior, tmp_path / "edges.csv", threshold=0.2)
    found = read_table(tmp_path / "edges.csv")
    pd.testing.assert_frame_equal(found, posterior.edges(0.2), check_exact=True, check_dtype=False)


def test_pairs_are_a_table_too(tmp_path, posterior):
    write_pairs(posterior, tmp_path / "pairs.csv", threshold=0.2)
    found = read_table(tmp_path / "pairs.csv")
    pd.testing.assert_frame_equal(found, posterior.pairs(0.2), check_exact=True, check_dtype=False)
    posterior.write_pairs(tmp_path / "again.csv")
    assert len(read_table(tmp_path / "again.csv")) == len(posterior.pairs()) >= len(found)


def test_csv_without_a_known_error_and_without_edges(tmp_path):
    posterior = make_posterior(np.array([[[[False, True], [False, False]]]]))
    export(posterior, tmp_path / "edges.csv")
    found = pd.read_csv(tmp_path / "edges.csv")
    assert np.isnan(found["mcse"]).all()
    export(make_posterior(np.zeros((1, 2, 2, 2), dtype=bool)), tmp_path / "edges.csv")
    assert pd.read_csv(tmp_path / "edges.csv").columns.tolist() == found.columns.tolist()


@pytest.mark.parametrize("threshold", [0, 0.4, 1])
def test_graphml_comes_back_through_networkx_with_one_edge_for_each_pair(tmp_path, posterior, threshold):
    export(posterior, str(tmp_path / "graph.graphml"), threshold)
    found = nx.read_graphml(tmp_path / "graph.graphml")
    pairs = posterior.pairs(threshold)
    assert isinstance(found, nx.DiGraph)
    assert tuple(found.nodes) == posterior.nodes
    assert found.number_of_edges() == len(pairs)
    for pair in pairs.itertuples():
        forward = pair.forward, pair.told_forward
        backward = pair.backward, pair.told_backward
        ends = (pair.a, pair.b) if pair.forward >= pair.backward else (pair.b, pair.a)
        here, there = (forward, backward) if ends == (pair.a, pair.b) else (backward, forward)
        assert found.edges[ends] == {
            "probability": here[0], "compelled": here[1], "reverse": there[0], "compelled_reverse": there[1],
            "joined": pair.joined, "told": pair.direction in ("->", "<-"), "disagreed": pair.direction == "?",
        }  # fmt: skip


@pytest.mark.parametrize("ending", [".graphml", ".dot"])
def test_a_graph_holds_by_default_what_the_report_shows(tmp_path, posterior, ending):
    for name, threshold in (("default", None), ("shown", 0.5), ("all", 0)):
        posterior.export(tmp_path / f"{name}{ending}", threshold)
    default, shown, everything = ((tmp_path / f"{name}{ending}").read_bytes() for name in ("default", "shown", "all"))
    assert default == shown
    assert (shown == everything) == (len(posterior.pairs(0.5)) == len(posterior.pairs()))
    posterior.export(tmp_path / "edges.csv")
    assert len(read_table(tmp_path / "edges.csv")) == len(posterior.edges())


DOT_STRING = r'"((?:[^"\\]|\\.)*)"'


def read_dot(text):
    """Parse the DOT that Edgewise writes: nodes, and lines with what is said of them, with names as they are shown."""
    escapes = {r"\\": "\\", r"\"": '"', r"\n": "\n", "&amp;": "&"}

    def shown(quoted):
        return re.sub(r"\\.|&amp;", lambda found: escapes[found.group()], quoted)

    node = re.compile(rf"  {DOT_STRING};\n")
    line = re.compile(rf'  {DOT_STRING} -> {DOT_STRING} \[label="([\d.]+)", penwidth=([\d.]+)(, dir=none)?\];\n')
    body = re.fullmatch(r"digraph edgewise \{\n(.*)\}\n", text, re.S).group(1)
    nodes, lines, place = [], {}, 0
    while place < len(body):
        if found := node.match(body, place):
            nodes.append(shown(found.group(1)))
        else:
            found = line.match(body, place)
            ends = shown(found.group(1)), shown(found.group(2))
            lines[ends] = found.group(3), float(found.group(4)), found.group(5) is None
        place = found.end()
    return nodes, lines


@pytest.mark.parametrize("ending", [".dot", ".gv", ".DOT"])
def test_dot_draws_the_pairs_with_arrowheads_where_directions_are_told(tmp_path, posterior, ending):
    path = tmp_path / f"graph{ending}"
    export(posterior, path, threshold=0.1)
    nodes, lines = read_dot(path.read_bytes().decode())
    pairs = posterior.pairs(0.1)
    assert nodes == list(posterior.nodes)
    assert len(lines) == len(pairs) > 0
    for pair in pairs.itertuples():
        ends = (pair.a, pair.b) if pair.forward >= pair.backward else (pair.b, pair.a)
        label, width, has_head = lines[ends]
        assert label == f"{pair.joined:.2f}"
        assert width == pytest.approx(0.5 + 2.5 * pair.joined, abs=0.0051)
        assert has_head == (pair.direction in ("->", "<-"))
        if has_head:
            assert ends == ((pair.a, pair.b) if pair.direction == "->" else (pair.b, pair.a))


@pytest.mark.parametrize("ending", [".dot", ".graphml"])
def test_names_that_are_replaced_are_still_those_of_the_constraints(tmp_path, ending):
    data = ew.simulate(3, 60, seed=4).data.set_axis(["a\x1b", "b", "c"], axis=1)
    known = ew.Constraints(required=[("a\x1b", "b")])
    posterior = ew.sample(data, constraints=known, iterations=500, thin=10, seed=2, progress=False)
    export(posterior, tmp_path / f"graph{ending}")
    text = (tmp_path / f"graph{ending}").read_text(encoding="utf-8")
    assert "a\ufffd" in text
    assert "\x1b" not in text
    if ending == ".dot":
        assert re.search(r'"a\ufffd" -> "b" \[[^\n]*\];', text).group().count("dir=none") == 0


def test_dot_spells_names_as_graphviz_does(tmp_path):
    names = ["plain", '"', "\\", "a\nb", "<b>", "&lt;", "R&D;", "R&D"]
    posterior = make_posterior(np.zeros((1, 1, 8, 8), dtype=bool), nodes=names)
    export(posterior, tmp_path / "g.dot")
    lines = (tmp_path / "g.dot").read_text(encoding="utf-8").splitlines()
    assert lines[1:-1] == [
        '  "plain";', r'  "\"";', r'  "\\";', r'  "a\nb";', '  "<b>";', '  "&amp;lt;";', '  "R&amp;D;";', '  "R&D";',
    ]  # fmt: skip


@pytest.mark.parametrize("ending", ENDINGS[1:])
def test_what_xml_cannot_hold_is_replaced(tmp_path, ending):
    path = tmp_path / f"edges{ending}"
    export(made(UNWRITABLE), path)
    text = path.read_bytes().decode()
    assert all(name in text for name in REPLACED)
    if ending == ".graphml":
        assert list(nx.read_graphml(path).nodes) == REPLACED


def test_a_table_keeps_control_characters(tmp_path):
    names = ["a\x00", "\x1b[31mred", "a\x01"]
    posterior = made(names)
    export(posterior, tmp_path / "edges.csv")
    with (tmp_path / "edges.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    found = [[row["source"], row["target"]] for row in rows]
    assert found == posterior.edges()[["source", "target"]].to_numpy().tolist() != []


@pytest.mark.parametrize("ending", ENDINGS[1:])
def test_names_must_stay_different(tmp_path, ending):
    said = refusal(ew.ArgumentError, export, made(["a\x00", "b", "a\x01"]), tmp_path / f"edges{ending}")
    assert r"'a\x00' and 'a\x01' differ only in control characters" in said
    assert not os.listdir(tmp_path)


@pytest.mark.parametrize("name", ["edges", "edges.txt", "edges.csv.gz", ".csv", "edges.", ""])
def test_the_ending_says_the_format(tmp_path, name):
    said = refusal(ew.ArgumentError, export, made(), tmp_path / name)
    assert all(ending in said for ending in ENDINGS)
    assert not os.listdir(tmp_path)


@pytest.mark.parametrize("write", [export, write_trajectory])
@pytest.mark.parametrize("ending", ENDINGS)
def test_files_that_cannot_be_written(tmp_path, write, ending):
    posterior = made()
    assert "make the directory first" in refusal(ew.StorageError, write, posterior, tmp_path / "no" / f"a{ending}")
    (tmp_path / f"directory{ending}").mkdir()
    assert "is a directory" in refusal(ew.StorageError, write, posterior, tmp_path / f"directory{ending}")
    assert "File name too long" in refusal(ew.StorageError, write, posterior, tmp_path / f"{'long' * 100}{ending}")
    assert "File name too long" in refusal(
        ew.StorageError, write, posterior, tmp_path / f"{'l' * (255 - len(ending))}{ending}"
    )
    (tmp_path / "file").touch()
    refusal(ew.StorageError, write, posterior, tmp_path / "file" / f"a{ending}")
    assert sorted(os.listdir(tmp_path)) == [f"directory{ending}", "file"]


@pytest.mark.parametrize("write", [export, write_trajectory])
@pytest.mark.parametrize("ending", ENDINGS)
def test_a_failure_leaves_the_former_file(tmp_path, monkeypatch, write, ending):
    path = tmp_path / f"edges{ending}"
    path.write_text("former")

    def fail(*arguments):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("pathlib.Path.replace", fail)
    assert "No space left on device" in refusal(ew.StorageError, write, made(), path)
    assert os.listdir(tmp_path) == [path.name]
    assert path.read_text() == "former"
    monkeypatch.undo()
    write(made(), path)
    assert os.listdir(tmp_path) == [path.name]
    assert path.read_text() != "former"


def split_edges(text):
    """Read a list of edges as Benchpress does."""
    assert (text[0], text[-1]) == ("[", "]")
    pairs = [edge.split("->") for edge in text[1:-1].split(";")]
    return [tuple(pair) for pair in pairs if len(pair) == 2]


def replay(path):
    """Return the names, the score and the DAG at every draw, and the index of every row."""
    rows = read_table(path).astype({"index": int})
    assert rows.columns.tolist() == ["index", "score", "added", "removed"]
    assert rows["index"].tolist()[:3] == [-2, -1, 0]
    assert rows["score"].tolist()[:2] == [0, 0]
    star = split_edges(rows["added"][0])
    assert split_edges(rows["removed"][1]) == star
    assert rows["removed"][0] == rows["added"][1] == rows["removed"][2] == "[]"
    assert len({source for source, _ in star}) == 1
    nodes = [star[0][0], *(target for _, target in star)]
    dag = np.zeros((len(nodes), len(nodes)), dtype=bool)
    dags, scores = [], []
    ends = [*rows["index"][3:], rows["index"].iloc[-1] + 1]
    for (_, row), end in zip(rows[2:].iterrows(), ends, strict=True):
        for edges, before in [(row["added"], False), (row["removed"], True)]:
            for source, target in split_edges(edges):
                place = nodes.index(source), nodes.index(target)
                assert dag[place] == before
                dag[place] = not before
        dags += [dag.copy()] * (end - row["index"])
        scores += [row["score"]] * (end - row["index"])
    return nodes, np.array(scores), np.array(dags), rows["index"].tolist()


NAMES = ['"Raf"', "a,b", "-", ">", "a-", ">b", "<b>", "[x]", "]", "Größe µ 蛋白", " ", "\\", "\u2028"]


@pytest.mark.parametrize("make", [sampled, made, lambda: made(p=2), lambda: made(NAMES), lambda: made(p=70)])
def test_the_trajectory_replays_every_draw(tmp_path, make):
    posterior = make()
    for chain, dags in enumerate(posterior.dags()):
        write_trajectory(posterior, tmp_path / "trajectory.csv", chain=chain)
        nodes, scores, found, index = replay(tmp_path / "trajectory.csv")
        assert tuple(nodes) == posterior.nodes
        np.testing.assert_array_equal(found, dags)
        changed = np.flatnonzero([True, *(dags[1:] != dags[:-1]).any(axis=(1, 2))]).tolist()
        assert index == [-2, -1, *sorted({*changed, len(dags) - 1})]
        np.testing.assert_array_equal(scores[index[2:]], posterior.log_posterior[chain, index[2:]])


def test_the_trajectory_is_written_as_benchpress_writes_it(tmp_path):
    """The example of Benchpress's documentation, with arrows."""
    dags = np.zeros((1, 90, 4, 4), dtype=bool)
    dags[:, :34, 1, 2] = dags[:, :, 0, 3] = dags[:, 89:, 2, 3] = True
    posterior = make_posterior(dags, nodes=list("abcd"))
    write_trajectory(posterior, tmp_path / "trajectory.csv")
    assert (tmp_path / "trajectory.csv").read_bytes().decode() == (
        "index,score,added,removed\n"
        "-2,0.0,[a->b;a->c;a->d],[]\n"
        "-1,0.0,[],[a->b;a->c;a->d]\n"
        "0,-2.0,[b->c;a->d],[]\n"
        "34,33.0,[],[b->c]\n"
        "89,87.0,[c->d],[]\n"
    )


def test_the_trajectory_tells_how_long_the_chain_is(tmp_path):
    dags = np.zeros((1, 5, 2, 2), dtype=bool)
    write_trajectory(make_posterior(dags), tmp_path / "t.csv")
    assert replay(tmp_path / "t.csv")[3] == [-2, -1, 0, 4]
    write_trajectory(make_posterior(dags[:, :1]), tmp_path / "t.csv")
    assert replay(tmp_path / "t.csv")[3] == [-2, -1, 0]


@pytest.mark.parametrize("name", ["a;b", "a->b", "two\nlines", "old\rMac"])
def test_names_that_a_trajectory_cannot_hold(tmp_path, name):
    said = refusal(ew.ArgumentError, write_trajectory, made(["x", name]), tmp_path / "t.csv")
    assert f"cannot hold the name {name!r}" in said
    assert not os.listdir(tmp_path)


def test_control_characters_in_a_trajectory(tmp_path):
    write_trajectory(made(UNWRITABLE), tmp_path / "t.csv")
    assert replay(tmp_path / "t.csv")[0] == REPLACED
    with (tmp_path / "t.csv").open(encoding="utf-8", newline="") as file:
        assert {len(row) for row in csv.reader(file)} == {4}


@pytest.mark.parametrize("chain", [-1, 2, 0.5, "first", None, True])
def test_chains_are_counted_from_zero(tmp_path, chain):
    said = refusal(ew.ArgumentError, write_trajectory, made(), tmp_path / "t.csv", chain=chain)
    assert "chain must be a whole number from 0 to 1" in said
