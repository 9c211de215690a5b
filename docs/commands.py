"""Write docs/api/commands.md: every command with its arguments and options, from the commands themselves.

python docs/commands.py
"""

from pathlib import Path

from typer.main import get_command

from edgewise.cli.app import app

PAGE = Path(__file__).parent / "api" / "commands.md"


def describe() -> str:
    """Return the page."""
    group = get_command(app)
    lines = [
        "# Commands",
        "",
        "Each command tells this too, with `--help`. Errors are sentences on standard error, with the exit code 2.",
    ]
    for name, command in group.commands.items():  # type: ignore[attr-defined]
        paragraphs = [" ".join(part.split()) for part in (command.help or "").split("\n\n")]
        lines += ["", f"## edgewise {name}", "", "\n\n".join(paragraphs), "", "| | |", "|---|---|"]
        for option in command.params:
            if option.name == "help" or getattr(option, "hidden", False):
                continue
            is_argument = option.param_type_name == "argument"
            title = option.metavar or option.name.upper() if is_argument else option.opts[0]
            told = (getattr(option, "help", None) or "").replace("|", "\\|")
            lines.append(f"| `{title}` | {told} |")
    return "\n".join([*lines, ""])


if __name__ == "__main__":
    PAGE.write_text(describe())
