"""Constraints, and other mappings, from YAML and JSON files."""

import json
from collections import Counter
from os import PathLike
from pathlib import Path
from typing import Any

import yaml

from edgewise.errors import ArgumentError
from edgewise.wording import quote

MOST_YAML = 10**6
"""Bytes of a YAML file, which take some ten seconds; lists of names and pairs are shorter than that."""

MOST_JSON = 10**8
"""Bytes of a JSON file, which take about a second, and ten times as many of memory."""

DEEPEST_YAML = 50
"""Lists within lists of a YAML file, which take the longer to read, the deeper they are; constraints need three."""


def read_mapping(
    path: str | PathLike[str], *, what: str = "constraints", keys: str = "keys such as required or tiers"
) -> dict[str, Any]:
    """Return what a YAML or JSON file has for each of its keys, as text.

    Parameters
    ----------
    path
        The file.
    what, keys
        What it should hold, and what its keys should be, for messages.
    """
    try:
        file = Path(path)
    except TypeError as error:
        raise ArgumentError(
            f"{what.capitalize()} are read from the path of a file, but it is {quote(path)}."
        ) from error
    shown = quote(str(path))
    try:
        _check_size(file, shown)
        text = file.read_text(encoding="utf-8-sig")
        pairs = _parse_json(text) if file.suffix.lower() == ".json" else _parse_yaml(text)
    except FileNotFoundError as error:
        raise ArgumentError(f"There is no file {shown}: check the path.") from error
    except UnicodeDecodeError as error:
        raise ArgumentError(f"The file {shown} is not encoded in UTF-8: save it again with that encoding.") from error
    except OSError as error:
        raise ArgumentError(f"The file {shown} cannot be read ({error.strerror}).") from error
    except RecursionError as error:
        raise ArgumentError(f"The file {shown} has lists within lists without end.") from error
    except json.JSONDecodeError as error:
        raise ArgumentError(f"The file {shown} is not valid JSON, see line {error.lineno} ({error.msg}).") from error
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        raise ArgumentError(f"The file {shown} is not valid YAML, see line {line} ({error.problem}).") from error
    except yaml.reader.ReaderError as error:
        line = text.count("\n", 0, error.position) + 1
        raise ArgumentError(f"The file {shown} is not valid YAML, see line {line} ({error.reason}).") from error
    if pairs is None:
        raise ArgumentError(f"The file {shown} holds no {what}: it must have {keys}, each with a list.")
    for key, times in Counter(key for key, _ in pairs).items():
        if times > 1:
            raise ArgumentError(f"The file {shown} has the key {quote(key)} {times} times; put all under one.")
    return dict(pairs)


def _check_size(file: Path, shown: str) -> None:
    """Refuse what has no end, such as a pipe or a device, and what takes too long to read."""
    if file.exists() and not (file.is_file() or file.is_dir()):
        raise ArgumentError(f"{shown} is not an ordinary file: give the path of one.")
    size = file.stat().st_size
    if size > MOST_JSON:
        raise ArgumentError(f"The file {shown} has {size / 1e6:.0f} MB, but at most {MOST_JSON / 1e6:.0f} are read.")
    if size > MOST_YAML and file.suffix.lower() != ".json":
        raise ArgumentError(
            f"The file {shown} has {size / 1e6:.1f} MB, and to read so much YAML takes minutes: write it as JSON into "
            "a file whose name ends in .json, which is read at once."
        )


class _Loader(yaml.BaseLoader):
    """Reads all as text: YAML would otherwise take the name NO for false, and 2020-01-01 for a date."""

    _depth = 0

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        """Return what comes next in the file, with all that is in it."""
        self._depth += 1
        if self._depth > DEEPEST_YAML:
            raise RecursionError
        node = super().compose_node(parent, index)
        self._depth -= 1
        return node


def _parse_yaml(text: str) -> list[tuple[str, Any]] | None:
    """Return the keys of a YAML file with what they hold, or None if it has none."""
    loader = _Loader(text)
    node = loader.get_single_node()
    if not isinstance(node, yaml.MappingNode):
        return None
    # Key by key, because a dictionary would keep only the last of those that are the same.
    return [
        (_name_key(loader.construct_object(key, True)), loader.construct_object(item, True)) for key, item in node.value
    ]


def _name_key(key: Any) -> str:
    """Return a key; lists within lists, which a few aliases make as long as one likes, are not spelt out."""
    return key if isinstance(key, str) else quote(key)


def _parse_json(text: str) -> list[tuple[str, Any]] | None:
    """Return the keys of a JSON file with what they hold, or None if it has none.

    A reader of YAML takes most of JSON, but not tabs at the beginning of a line.
    """
    pairs: list[tuple[str, Any]] = []

    def keep(found: list[tuple[str, Any]]) -> dict[str, Any]:
        pairs[:] = found  # the outermost object is the last to be complete
        return dict(found)

    content = json.loads(text, parse_int=str, parse_float=str, parse_constant=str, object_pairs_hook=keep)
    return pairs if isinstance(content, dict) else None
