"""Writing down the present DAG of a chain over orders."""

from ..basics.recorder import add_family, find
from ..beliefs.beliefs import log_prior_beyond_families
from ..compiling import inlined, inner


@inlined
def is_written(recorder, node, key):
    """Return whether the family ``key`` of ``node`` is written down already, and if so, make it the node's last."""
    if key == recorder.last_key[node] and recorder.last_family[node] >= 0:
        return True
    family = recorder.slot[find(recorder, key)]
    if family < 0:
        return False
    recorder.last_key[node] = key
    recorder.last_family[node] = family
    return True


@inner
def write_family(recorder, key, members, size):
    """Write down a new family, ``members[size]`` with parents ``members[:size]``, and make it the node's last."""
    node = members[size]
    recorder.last_family[node] = add_family(recorder, find(recorder, key), key, members, size)
    recorder.last_key[node] = key


@inner
def write_draw(state, views, recorder, draws, row):
    """Write the order, the last family of each variable, and what they are worth, into row ``row`` of ``draws``."""
    log_score = 0.0
    log_prior = 0.0
    for node in range(state.order.shape[0]):
        draws.order[row, node] = state.order[node]
        draws.family[row, node] = recorder.last_family[node]
        log_score += state.family[node].log_score
        log_prior += state.family[node].log_prior
    draws.log_score[row] = log_score
    draws.log_prior[row] = log_prior
    if views is not None:
        draws.log_prior[row] += log_prior_beyond_families(views.beliefs, views.structure)
