"""Stage "release": one folder per language and version that anyone can load, check, cite and compare.

:mod:`~winoqueer_nl.release.layout` says what stands where in the folder, :mod:`~winoqueer_nl.release.subsets` makes
its tables, :mod:`~winoqueer_nl.release.card` and its neighbours its documents, :mod:`~winoqueer_nl.release.build` puts
it together whole or not at all, :mod:`~winoqueer_nl.release.verify` checks it, :mod:`~winoqueer_nl.release.diff`
compares two of them and :mod:`~winoqueer_nl.release.bump` says which version number is honest.
"""
