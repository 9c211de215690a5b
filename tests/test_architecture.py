"""The rules of the code, as tests: who may import whom, what is documented, what is not done."""

import ast
import dataclasses
import importlib
import inspect
import json
import re
import runpy
from functools import cache
from pathlib import Path

import pytest

import edgewise
from edgewise.data import Reading

SOURCE = Path(edgewise.__file__).parent
MODULES = sorted(SOURCE.rglob("*.py"))

DOCS = Path(__file__).parents[1] / "docs"
DRAWN = runpy.run_path(str(DOCS / "import_graph.py"))
"""What draws the picture of the imports."""

EVERYWHERE = {"arguments", "arithmetic", "errors", "files", "tasks", "wording"}
"""What all may import: errors, checks of arguments, the parts of messages, files, sums, and work for many workers."""

MAY_IMPORT = {
    "_kernels": set(),
    "data": set(),
    "graphs": {"_kernels"},
    "independence": {"_kernels", "data"},
    "imap": {"_kernels", "data", "graphs", "independence", "priors", "scores"},
    "scores": {"_kernels", "data", "graphs"},
    "priors": {"_kernels", "data", "graphs"},
    "samplers": {"_kernels", "data", "graphs", "independence", "imap", "scores", "priors"},
    "report": {"data", "graphs"},
    "posterior": {"_kernels", "data", "graphs", "scores", "priors", "report"},
    "baselines": {"_kernels", "data", "graphs", "independence", "imap", "scores", "priors", "posterior"},
    "running": {
        "_kernels", "data", "graphs", "independence", "scores", "priors", "samplers", "posterior", "baselines",
    },
    "estimators": {"priors", "running", "samplers", "scores"},
    "experiments": {
        "data", "graphs", "imap", "scores", "priors", "samplers", "posterior", "baselines", "running", "report",
    },
    "cli": {"data", "scores", "priors", "samplers", "posterior", "running", "experiments"},
}  # fmt: skip
"""Data flow one way, and imports follow: file, statistics, tests and scores, chains, draws, posterior. A report is made
of plain data that a posterior hands to it. All imports count: those within functions, and those for types alone."""

LONGEST = 450
"""Lines of a module: what one can still read in one sitting."""


@cache
def tree_of(path):
    return ast.parse(path.read_text(encoding="utf-8"), filename=str(path))


def imported_modules(path):
    """Yield the full name of everything that a file imports, at its top or inside a function.

    After ``import edgewise as ew``, every ``ew.name`` is imported where it stands.
    """
    package = ("edgewise", *path.relative_to(SOURCE).parts[:-1])
    for node in ast.walk(tree_of(path)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "ew":
            yield f"edgewise.{node.attr}"
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) + 1 - node.level] if node.level else ()
            module = ".".join([*base, *([node.module] if node.module else [])])
            yield module
            if module == "edgewise":
                yield from (f"edgewise.{alias.name}" for alias in node.names)


def name_of(path):
    return path.relative_to(SOURCE).as_posix()


def imported_folders(path):
    """Yield the folder, or the module beside the folders, of everything of this package that a file imports."""
    for module in imported_modules(path):
        if module.startswith("edgewise."):
            name = module.split(".")[1]
            yield name if name in {*MAY_IMPORT, *EVERYWHERE} else edgewise._HOME[name]


def folder(path):
    return path.relative_to(SOURCE).parts[0]


def test_the_folders_are_those_of_the_table():
    folders = {path.name for path in SOURCE.iterdir() if path.is_dir() and path.name != "__pycache__"}
    assert folders == set(MAY_IMPORT)
    assert {path.name for path in SOURCE.glob("*.py")} == {
        "__init__.py", "__main__.py", *(f"{name}.py" for name in EVERYWHERE),
    }  # fmt: skip


PARTS = ("inner", "inlined", "fused", "reduction")
"""Decorators of compiled functions that have no wrapper for Python."""


def decorated(path, *decorators):
    """Yield the functions of a module that have one of some decorators."""
    for node in ast.walk(tree_of(path)):
        if isinstance(node, ast.FunctionDef) and any(
            isinstance(decorator, ast.Name) and decorator.id in decorators for decorator in node.decorator_list
        ):
            yield node.name


def test_only_kernels_import_what_only_kernels_can_call():
    """Functions compiled without a wrapper for Python would crash it if it called them."""
    found = [
        f"{name_of(path)} imports {name} of {node.module}"
        for path in MODULES
        if folder(path) != "_kernels"
        for node in ast.walk(tree_of(path))
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("edgewise._kernels.")
        for name in decorated(SOURCE.parent / f"{node.module.replace('.', '/')}.py", *PARTS)
        if name in {alias.name for alias in node.names}
    ]
    assert found == []


def test_the_table_has_no_cycle():
    done = set()
    while len(done) < len(MAY_IMPORT):
        ready = {name for name, allowed in MAY_IMPORT.items() if allowed <= done} - done
        assert ready
        done |= ready


def imports(paths, is_refused):
    """List the imports of some modules that a rule refuses."""
    return [
        f"{name_of(path)} imports {module}"
        for path in paths
        for module in imported_modules(path)
        if is_refused(path, module)
    ]


def test_imports_follow_the_data():
    found = [
        f"{name_of(path)} imports {other}"
        for path in MODULES
        if path.parent != SOURCE
        for other in imported_folders(path)
        if other not in {folder(path), *EVERYWHERE, *MAY_IMPORT[folder(path)]}
    ]
    assert found == []


def test_the_picture_of_the_imports_is_up_to_date():
    """If it is not: python docs/import_graph.py."""
    found = {(folder(path), other) for path in MODULES if path.parent != SOURCE for other in imported_folders(path)}
    expected = {(one, other) for one, other in found if one != other and other in MAY_IMPORT}
    picture = (DOCS / "import_graph.svg").read_text(encoding="utf-8")
    shown = json.loads(re.search("<metadata>(.*)</metadata>", picture).group(1))
    assert {tuple(edge) for edge in shown} == expected
    assert shown == [list(edge) for edge in DRAWN["find_edges"]()]


def test_folders_that_import_each_other_are_not_drawn():
    DRAWN["check_order"]([("report", "graphs"), ("posterior", "report")])
    with pytest.raises(SystemExit, match=r"in a cycle: report -> posterior -> report\.$"):
        DRAWN["check_order"]([("report", "posterior"), ("report", "graphs"), ("posterior", "report")])


def test_the_command_line_goes_through_the_public_names():
    """Inside a command, ``import edgewise as ew`` stands for whatever is imported late."""
    commands = [path for path in MODULES if folder(path) == "cli"]
    assert imports(commands, lambda path, module: module.startswith("edgewise._")) == []


def test_what_all_import_imports_only_the_like():
    ours = {f"edgewise.{name}" for name in EVERYWHERE}
    shared = [SOURCE / f"{name}.py" for name in sorted(EVERYWHERE)]
    assert imports(shared, lambda path, module: module.startswith("edgewise") and module not in ours) == []


def test_only_kernels_import_numba():
    others = [path for path in MODULES if folder(path) != "_kernels"]
    assert imports(others, lambda path, module: module.split(".")[0] == "numba") == []


def test_nothing_is_asserted_printed_or_caught_blindly():
    def is_refused(node):
        called = node.func.id if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) else None
        return (
            isinstance(node, ast.Assert)
            or (isinstance(node, ast.ExceptHandler) and node.type is None)
            or called in {"print", "eval", "exec", "breakpoint"}
        )

    found = [
        f"{name_of(path)}:{node.lineno}" for path in MODULES for node in ast.walk(tree_of(path)) if is_refused(node)
    ]
    assert found == []


def test_nothing_is_pickled():
    refused = {"pickle", "cloudpickle", "joblib", "dill", "marshal", "shelve"}
    assert imports(MODULES, lambda path, module: module in refused) == []


def test_modules_are_short():
    lengths = {name_of(path): len(path.read_text(encoding="utf-8").splitlines()) for path in MODULES}
    assert {name: length for name, length in lengths.items() if length > LONGEST} == {}


def test_modules_say_what_they_are():
    silent = [name_of(path) for path in MODULES if path.name != "__init__.py" and not ast.get_docstring(tree_of(path))]
    assert silent == []


def test_nothing_is_left_to_do():
    left = re.compile(r"\b(TODO|FIXME|XXX|HACK)\b")
    assert [name_of(path) for path in MODULES if left.search(path.read_text(encoding="utf-8"))] == []


def test_the_public_names_are_listed_once_and_the_same_everywhere():
    tree = tree_of(SOURCE / "__init__.py")
    (checking,) = [
        node for node in tree.body if isinstance(node, ast.If) and getattr(node.test, "id", "") == "TYPE_CHECKING"
    ]
    typed = {alias.name: node.module.removeprefix("edgewise.") for node in checking.body for alias in node.names}
    assert typed == edgewise._HOME
    assert edgewise.__all__ == sorted(edgewise._HOME)
    assert set(edgewise.__all__) <= set(dir(edgewise))


def test_an_unknown_name_is_an_ordinary_error():
    with pytest.raises(AttributeError, match="module 'edgewise' has no attribute 'nonsense'"):
        _ = edgewise.nonsense


def test_public_names_resolve():
    for name in edgewise.__all__:
        home = importlib.import_module(f"edgewise.{edgewise._HOME[name]}")
        assert getattr(edgewise, name) is getattr(home, name)
        assert name in getattr(home, "__all__", [name])


def test_public_names_are_documented():
    def is_documented(name):
        value = getattr(edgewise, name)
        own = vars(value).get("__doc__") if inspect.isclass(value) else value.__doc__
        return own and not own.startswith(f"{name}(")  # what a dataclass without a docstring gets

    assert [name for name in edgewise.__all__ if not is_documented(name)] == []


def public_functions():
    """Yield the public functions, and the methods of the public classes, each with its name."""
    for name in edgewise.__all__:
        value = getattr(edgewise, name)
        if not inspect.isclass(value):
            yield name, value
        elif not issubclass(value, BaseException):
            for method in vars(value).values():
                method = getattr(method, "__func__", method)
                # prepare is how parts of a run meet, not something that users call
                if inspect.isfunction(method) and not method.__name__.startswith(("_", "prepare")):
                    yield f"{name}.{method.__name__}", method


def documented(docstring, section):
    """Return the names described in a section of a numpydoc docstring."""
    found = re.search(rf"^{section}\n-+\n(.*?)(?=^\S[^\n]*\n-+$|\Z)", inspect.cleandoc(docstring) + "\n", re.M | re.S)
    if not found:
        return set()
    heads = re.findall(r"^(?:\*\*)?(\w[\w, *]*?)(?: :.*)?$", found.group(1), re.M)
    return {name.strip() for head in heads for name in head.split(",")}


def test_public_functions_describe_their_parameters():
    def is_described(function):
        parameters = set(inspect.signature(function).parameters) - {"self", "cls"}
        short = len(parameters) <= 1 and function.__qualname__ not in edgewise.__all__
        described = documented(function.__doc__ or "", "Parameters")
        if "reading" in parameters and function is edgewise.load_data:
            parameters = parameters - {"reading"} | set(Reading.__annotations__)
        return function.__doc__ and (described == parameters or (short and not described))

    assert [name for name, function in public_functions() if not is_described(function)] == []


def test_public_functions_have_types():
    def is_typed(function):
        signature = inspect.signature(function)
        return signature.return_annotation is not inspect.Signature.empty and all(
            parameter.annotation is not inspect.Parameter.empty or name in {"self", "cls"}
            for name, parameter in signature.parameters.items()
        )

    assert [name for name, function in public_functions() if not is_typed(function)] == []


def test_public_classes_describe_their_fields():
    for name in ("BGe", "Covariance", "Dataset", "GaussianBIC", "MinimalIMAP", "Posterior", "Sparsity"):
        value = getattr(edgewise, name)
        fields = {field.name for field in dataclasses.fields(value)}
        described = documented(value.__doc__, "Parameters") | documented(value.__doc__, "Attributes")
        assert described == fields, name


def test_public_functions_have_an_example():
    assert [name for name, function in public_functions() if "." not in name and ">>>" not in function.__doc__] == []


def test_public_functions_have_few_positional_parameters():
    def positional(function):
        parameters = inspect.signature(function).parameters.values()
        return sum(parameter.kind is inspect.Parameter.POSITIONAL_OR_KEYWORD for parameter in parameters)

    assert [name for name, function in public_functions() if "." not in name and positional(function) > 4] == []
