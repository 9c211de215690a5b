"""The code on the pages: found, run from top to bottom, and its output written below it.

    python docs/pages.py docs/tutorials/sachs.md

runs a page at full length and replaces each block ``text`` that follows code by what that code shows now: what it
prints, and the value of its last expression, as a notebook would. The tests run all pages with short chains.

A page of Python is one namespace. Lines of other blocks that begin with ``edgewise`` are commands, and run in the same
process. Those that would take long, or need a cluster, are only parsed.
"""

import ast
import io
import os
import re
import shlex
import sys
import warnings
from collections.abc import Iterator
from contextlib import chdir, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from unittest.mock import patch

import pandas as pd

from scenes import set_scene

ROOT = Path(__file__).parents[1]

FENCED = re.compile(r"^```(\w*)\n(.*?)^```\n", re.MULTILINE | re.DOTALL)

COMMANDS = ("", "bash", "console")
"""The languages of blocks that hold commands."""

NOT_RUN = ("demo", "reproduce", "--dask", "--jobs", "--install-completion")
"""What commands are only parsed: they take minutes, other machines or several processes, or change the shell."""

DIGITS = 3
"""Digits of tables on the pages; those of pandas would not fit."""


@dataclass(frozen=True)
class Block:
    """One block of a page: its language, its text, and from where to where it reaches in the page."""

    language: str
    text: str
    start: int
    end: int


def find_pages() -> list[Path]:
    """Return all pages, README first."""
    return [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def find_blocks(page: str) -> list[Block]:
    r"""Return the fenced blocks of a page.

    Examples
    --------
    >>> [block.language for block in find_blocks("```python\n1 + 1\n```\n\n```text\n2\n```\n")]
    ['python', 'text']
    """
    return [Block(found[1], found[2], found.start(), found.end()) for found in FENCED.finditer(page)]


def find_commands(block: Block) -> list[list[str]]:
    r"""Return the words of each command in a block, without ``edgewise`` itself and without comments.

    Examples
    --------
    >>> find_commands(Block("bash", "make demo\nedgewise fit 'a b.csv' --out c  # quick\n", 0, 0))
    [['fit', 'a b.csv', '--out', 'c']]
    """
    if block.language not in COMMANDS:
        return []
    lines = block.text.replace("\\\n", " ").splitlines()
    return [shlex.split(line, comments=True)[1:] for line in lines if line.startswith("edgewise ")]


def is_run(words: list[str]) -> bool:
    """Return whether a command is run, and not only parsed."""
    return not any(word in NOT_RUN for word in words)


def run_python(text: str, namespace: dict[str, object], name: str = "page") -> None:
    """Run code, and print the value of its last expression."""
    tree = ast.parse(text)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, name, "exec"), namespace)  # noqa: S102
    if isinstance(last, ast.Expr):
        value = eval(compile(ast.Expression(last.value), name, "eval"), namespace)  # noqa: S307
        if value is not None:
            print(value if isinstance(value, str) else repr(value))  # noqa: T201


def run_command(words: list[str]) -> None:
    """Run a command in this process, or only parse it.

    Raises
    ------
    RuntimeError
        If it ends with an exit code that is not zero.
    """
    from typer.main import get_command

    from edgewise.cli import main
    from edgewise.cli.app import app

    if not is_run(words):
        group = get_command(app)
        if words[0] not in NOT_RUN[-1:]:
            group.get_command(group.make_context("edgewise", []), words[0]).make_context(words[0], words[1:])  # type: ignore[attr-defined]
        return
    before, sys.argv = sys.argv, ["edgewise", *words]
    try:
        main()
    except SystemExit as ended:
        if ended.code:
            raise RuntimeError(f"edgewise {shlex.join(words)} ended with {ended.code}.") from ended
    finally:
        sys.argv = before


def run_page(path: Path) -> Iterator[tuple[Block, str]]:
    """Run the code of a page in a temporary directory; yield each block with code, and what it showed."""
    options = ("display.float_format", f"{{:.{DIGITS}f}}".format, "display.width", 110, "display.max_columns", None)
    with (
        TemporaryDirectory() as folder,
        chdir(folder),
        pd.option_context(*options),
        patch.dict(os.environ, COLUMNS="100"),
        warnings.catch_warnings(),
    ):
        warnings.simplefilter("ignore")
        namespace: dict[str, object] = {"__name__": "page"}
        set_scene(path.relative_to(ROOT).as_posix(), namespace)
        for block in find_blocks(path.read_text()):
            shown = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True)
            with redirect_stdout(shown), redirect_stderr(io.StringIO()):
                if block.language == "python":
                    run_python(block.text, namespace, f"{path.name}, {block.text.splitlines()[0]!r}")
                for words in find_commands(block):
                    run_command(words)
            yield block, shown.buffer.getvalue().decode()  # type: ignore[attr-defined]


def with_outputs(page: str, run: list[tuple[Block, str]]) -> str:
    """Return a page in which the blocks ``text`` that follow code are what the code showed."""
    shown = {block.end: output for block, output in run}
    for block in reversed(find_blocks(page)):
        before = len(page[: block.start].rstrip("\n")) + 1
        if block.language == "text" and shown.get(before):
            output = "\n".join(line.rstrip() for line in shown[before].strip("\n").splitlines())
            page = page[: block.start] + f"```text\n{output}\n```\n" + page[block.end :]
    return page


def write_outputs(path: Path) -> None:
    """Replace the blocks ``text`` that follow code by what the code shows now."""
    path.write_text(with_outputs(path.read_text(), list(run_page(path))))


if __name__ == "__main__":
    for argument in sys.argv[1:]:
        write_outputs(Path(argument).resolve())
