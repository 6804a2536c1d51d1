"""One module per group of sub-commands; see :mod:`winoqueer_nl.cli`."""
