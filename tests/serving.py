"""Processes that begin quickly, since they are forked from one that has loaded what takes long."""

import multiprocessing
import os
from importlib import import_module

forked = multiprocessing.get_context("forkserver")
forked.set_forkserver_preload(["edgewise.running", "distributed.cli.dask_scheduler", "distributed.cli.dask_worker"])


def start_dask(kind, arguments):
    """Start a scheduler or a worker of Dask, as its command does."""
    process = forked.Process(target=_run_dask, args=(kind, arguments), daemon=True)
    process.start()
    return process


def _run_dask(kind, arguments):
    silence = os.open(os.devnull, os.O_WRONLY)
    for descriptor in (1, 2):
        os.dup2(silence, descriptor)
    import_module(f"distributed.cli.dask_{kind}").main(arguments, standalone_mode=False)
