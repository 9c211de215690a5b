"""Clusters that belong to the user."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from edgewise.errors import ArgumentError
from edgewise.wording import quote

SECONDS = 10
"""How long to wait for a scheduler to answer."""


@contextmanager
def connected(address: str | None) -> Iterator[Any]:
    """Provide a client of the Dask scheduler at an address; None if there is no address."""
    if address is None:
        yield None
        return
    try:
        from distributed import Client
    except ImportError as error:
        raise ArgumentError("--dask needs the package distributed: pip install 'edgewise[dask]'.") from error
    try:
        client = Client(address, timeout=SECONDS)  # type: ignore[no-untyped-call]
    except (OSError, ValueError) as error:
        raise ArgumentError(
            f"No Dask scheduler answers at {quote(address)}: check the address, like tcp://host:8786."
        ) from error
    with client:
        yield client
