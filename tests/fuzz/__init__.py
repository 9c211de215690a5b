"""Files from strangers: good files of each kind are changed at random, and read.

Whatever is in a file, reading it and all that follows must end in a result or in one sentence. ``kinds.py`` has the
table of kinds of files, ``outcomes.py`` says how a file ended, and ``cases.py`` has files that once did not end well.
"""
