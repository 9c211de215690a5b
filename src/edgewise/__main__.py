"""``python -m edgewise``."""

from edgewise.cli import main

main()
