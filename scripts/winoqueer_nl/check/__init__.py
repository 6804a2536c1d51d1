"""Hygiene gates: what must hold of every sentence pair of an edition, whatever the language.

One small module per gate. Words, phrases, severities and exceptions are tables of the language; a gate is a function
that takes a :class:`~winoqueer_nl.check.context.Context` and gives findings.
"""
