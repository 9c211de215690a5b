"""What Edgewise raises, and what it warns about.

Every error a user can cause is an :class:`EdgewiseError` whose message is one sentence: what was found,
where, and what to do next. The command line prints that sentence and ends with exit code 2.
"""


class EdgewiseError(Exception):
    """Base of all errors that Edgewise raises on purpose."""


class DataError(EdgewiseError, ValueError):
    """The data cannot be used as they are: missing values, text, a constant column, ..."""


class ArgumentError(EdgewiseError, ValueError):
    """An argument is outside its range, or does not fit the data."""


class GraphError(EdgewiseError, ValueError):
    """Something that should be a DAG is not one."""


class StorageError(EdgewiseError, OSError):
    """A file cannot be read, is not an Edgewise file, or is damaged."""


class EdgewiseWarning(UserWarning):
    """Base of all warnings that Edgewise issues."""


class DataWarning(EdgewiseWarning):
    """The data were understood, but in a way worth knowing about."""


class UnusualDataWarning(DataWarning):
    """The data are not what the model takes them for: a finding of the look at them before a run."""


class VoidTestWarning(EdgewiseWarning):
    """Some conditional-independence tests are undefined because there are too few rows."""


class StoppedEarlyWarning(EdgewiseWarning):
    """A run was stopped, by the keyboard or its time budget; the posterior holds the draws until then."""


class ConvergenceWarning(EdgewiseWarning):
    """Chains disagree, or have drawn too little: their posterior should not be trusted yet."""
