"""Messages reach the command line in its own words."""

import inspect

import pytest

import edgewise as ew
from edgewise.cli.app import app
from edgewise.cli.fitting import SamplerName, ScoreName, fit
from edgewise.cli.translating import OPTIONS, SAMPLERS, SCORES, translate


@pytest.mark.parametrize(
    ("python", "typed"),
    [
        ("Take missing='drop', or missing='em'.", "Take --missing drop, or --missing em."),
        ("time_budget must be positive.", "--time-budget must be positive."),
        ("With iterations=10, burn_in=0.2 and thin=5.", "With --iterations 10, --burn-in 0.2 and --thin 5."),
        ("Run longer (edgewise.extend).", "Run longer (edgewise resume with --iterations)."),
        ("Use ranks (transform='ranks', or --ranks).", "Use ranks (--ranks)."),
        ("Use what is known (missing='em', or --missing em).", "Use what is known (--missing em)."),
        ("Say header=True if so, header=False if not.", "Say --header yes if so, --header no if not."),
        ("alpha is a significance level.", "--alpha is a significance level."),
        ("Use DagMCMC(), which has no limit.", "Use --sampler dag, which has no limit."),
        ("OrderMCMC cannot use it: take MinimalIMAP.", "--sampler order cannot use it: take --sampler minimal-imap."),
        ("Require fewer, or use BGe().", "Require fewer, or use --score bge."),
        ("The most that max_parents allows.", "The most that --max-parents allows."),
    ],
)  # fmt: skip
def test_arguments_become_options(python, typed):
    assert translate(python) == typed


@pytest.mark.parametrize(
    "sentence",
    [
        "Column 'time_budget' is constant.",
        "Column \"missing='drop'\" is constant: leave it out.",
        "The data's columns 'burn_in' and 'DagMCMC()' are the user's.",
        "The file 'a/max_parents.csv' is empty.",
        "The chains are 4, and the prior must stay in the middle of a sentence.",
        "Columns alpha_w and alpha_mu are no options.",
    ],
)
def test_names_of_the_user_and_other_words_stay(sentence):
    assert translate(sentence) == sentence


def test_every_word_is_an_option_and_every_name_a_choice():
    """What the sentences say can be typed."""
    assert set(OPTIONS) <= set(inspect.signature(fit).parameters)
    assert set(SAMPLERS.values()) == {one.value for one in SamplerName}
    assert set(SCORES.values()) == {one.value for one in ScoreName}
    assert all(hasattr(ew, name) for name in (*SAMPLERS, *SCORES))


def test_errors_point_to_the_help_of_their_command(run):
    assert run("fit", "--speed", "9").err.endswith("; see edgewise fit --help.\n")
    assert run("report", "a", "b").err.endswith("; see edgewise report --help.\n")
    assert run("sample").err.endswith("; see edgewise --help.\n")


def test_switches_take_nothing(run):
    """The help shows no type for them."""
    names = [command.callback.__name__ for command in app.registered_commands]
    for name in names:
        shown = run(name, "--help", columns=160).out
        lines = [line for line in shown.splitlines() if "<bool>" in line]
        assert all("--help" in line for line in lines), name
