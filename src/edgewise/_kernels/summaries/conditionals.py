"""Edge probabilities given the order and the other parents, averaged over draws instead of zeros and ones.

A draw says of each edge whether it is there. Given the order and the rest of the DAG it also says how probable it is:
for a child v with parents P and a predecessor x of v, the odds of x being a parent are

    exp(log_score(v, P + x) - log_score(v, P - x) + log prior of the edge).

They depend on the family (v, P) alone, so they are computed once for each family and remembered; only who precedes whom
differs between draws with the same family.

A compelled edge needs more of the DAG than its family. An edge that is compelled in the drawn DAG is taken as compelled
wherever it is there, and so is one whose reverse is known not to be, or that interventions tell from its reverse. For
any other edge x -> v, the two commonest reasons are looked for: a v-structure, with another parent w of v that is not
joined to x; and a compelled edge w -> x from a w that is not joined to v, since turning x -> v around would make a
v-structure. Whether w is a parent is as probable as above, taken as independent of other edges; whether it is joined to
x or v, the drawn DAG says.
"""

from typing import Any, NamedTuple

import numpy as np

from ..basics.bits import list_members
from ..compiling import in_place, inner
from ..families.target import REQUIRED, TESTED
from ..graphs.equivalence import Lists, label, new_lists
from ..graphs.reaching import Known, orient
from ..scores.interface import gains, local_score, new_room

MEMO_ENTRIES = 2**22
"""Probabilities to remember, with their logarithms 64 MB."""

LARGEST = 1 - 1e-12
"""The largest probability whose complement has a logarithm to reckon with."""


class EdgeMemo(NamedTuple):
    """Probabilities that each variable is a parent, for some families: ``family[i]`` is whose row i is, -1 if free.

    ``log_absent`` is the log probability that it is not. The rest is scratch: ``members`` has a row for a set, and one
    for the same set less a member; ``neighbour[x]`` begins with the ``number[x]`` variables to which x is joined;
    ``not_compelled`` is, by parent and child, the log probability that there is no compelled edge, ``none_compelled``
    its sum over the parents.
    """

    family: np.ndarray
    probability: np.ndarray
    log_absent: np.ndarray
    members: np.ndarray
    room: Any
    dag: np.ndarray
    compelled: np.ndarray
    lists: Lists
    known: Known
    not_compelled: np.ndarray
    none_compelled: np.ndarray
    absent: np.ndarray
    no_reason: np.ndarray
    neighbour: np.ndarray
    number: np.ndarray


def new_memo(score: Any, families: int, p: int, known: Known) -> EdgeMemo:
    """Return an empty memo for a number of families of p variables, and what is known of these."""
    rows = max(min(families, MEMO_ENTRIES // p), 1)
    return EdgeMemo(
        family=np.full(rows, -1, np.int64),
        probability=np.zeros((rows, p)),
        log_absent=np.zeros((rows, p)),
        members=np.zeros((2, p), np.int64),
        room=new_room(score, p),
        dag=np.zeros((p, p), bool),
        compelled=np.zeros((p, p), bool),
        lists=new_lists(p),
        known=known,
        not_compelled=np.zeros((p, p)),
        none_compelled=np.zeros(p),
        absent=np.zeros(p),
        no_reason=np.zeros(p),
        neighbour=np.zeros((p, p), np.int32),
        number=np.zeros(p, np.int64),
    )


@inner
def logistic(log_odds):
    """Return the probability of some log odds."""
    return 1.0 / (1.0 + np.exp(-log_odds))


@inner
def weigh_parents(target, memo, row, node, size):
    """Set row ``row`` of the probabilities for the family of ``node`` with parents ``memo.members[0, :size]``."""
    score = target.score
    rules = target.rules
    probability = memo.probability
    members = memo.members
    p = probability.shape[1]
    gains(score, members[0], size, node, memo.room, probability[row])
    for x in range(p):
        probability[row, x] = logistic(probability[row, x] + target.edge[x, node])
    members[0, size] = node
    whole = local_score(score, members[0], size, memo.room)
    for i in range(size):
        for m in range(size):
            members[1, m] = members[0, m if m < i else m + 1]
        part = local_score(score, members[1], size - 1, memo.room)
        member = members[0, i]
        probability[row, member] = logistic(whole - part + target.edge[member, node])
    for x in range(p):
        rule = rules.edge[rules.row[node], x]
        if x != node and rule != TESTED:
            probability[row, x] = 1.0 if rule == REQUIRED else 0.0
        memo.log_absent[row, x] = np.log1p(-min(probability[row, x], LARGEST))


@inner
def find_neighbours(dag, memo):
    """Set who is joined to whom."""
    p = dag.shape[0]
    for x in range(p):
        memo.number[x] = 0
    for x in range(p):
        for v in range(p):
            if dag[x, v]:
                memo.neighbour[x, memo.number[x]] = v
                memo.neighbour[v, memo.number[v]] = x
                memo.number[x] += 1
                memo.number[v] += 1


@in_place
def add_conditionals(target, memo, family, order, weights, family_parents, directed, compelled_sum):
    """Add the weighted sums over draws of the probability of each edge, and of each compelled edge: by child, parent.

    ``family`` and ``order`` have shape (draws, p): the number of each variable's family, and the order.
    ``family_parents`` are the parents of all families, as bits.
    """
    draws, p = family.shape
    dag = memo.dag
    compelled = memo.compelled
    known = memo.known
    is_known = known.edge.shape[0] > 0
    has_targets = known.told.shape[0] > 0
    not_compelled = memo.not_compelled
    none_compelled = memo.none_compelled
    absent = memo.absent
    no_reason = memo.no_reason
    for t in range(draws):
        for v in range(p):
            for x in range(p):
                dag[x, v] = False
                not_compelled[v, x] = 0.0
            size = list_members(family_parents, family[t, v], memo.members[0])
            for m in range(size):
                dag[memo.members[0, m], v] = True
        label(dag, compelled, memo.lists)
        orient(known, dag, compelled, memo.lists)
        find_neighbours(dag, memo)
        # Along the order: what is known of a variable's parents counts for those after it.
        for j in range(p):
            v = order[t, j]
            row = family[t, v] % memo.family.shape[0]
            if memo.family[row] != family[t, v]:
                memo.family[row] = family[t, v]
                size = list_members(family_parents, family[t, v], memo.members[0])
                weigh_parents(target, memo, row, v, size)
            for x in range(p):
                absent[x] = 0.0
                no_reason[x] = none_compelled[x]
            for i in range(j):
                absent[order[t, i]] = memo.log_absent[row, order[t, i]]
            for h in range(memo.number[v]):
                w = memo.neighbour[v, h]
                for x in range(p):
                    no_reason[x] -= not_compelled[w, x]
            no_edge = 0.0
            for x in range(p):
                no_edge += absent[x]
            none_compelled[v] = 0.0
            for i in range(j):
                x = order[t, i]
                probability = memo.probability[row, x]
                share = 1.0
                is_one_way = (is_known and known.edge[v, x]) or (has_targets and known.told[x, v])
                if not (compelled[x, v] or is_one_way):
                    log_none = no_reason[x] + no_edge - absent[x]
                    for h in range(memo.number[x]):
                        log_none -= absent[memo.neighbour[x, h]]
                    share = -np.expm1(min(log_none, 0.0))
                not_compelled[x, v] = np.log1p(-min(probability * share, LARGEST))
                none_compelled[v] += not_compelled[x, v]
                directed[v, x] += weights[t] * probability
                compelled_sum[v, x] += weights[t] * probability * share
