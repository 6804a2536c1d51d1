"""Publishing a release to the Hub: look, plan, verify, one commit, one tag, load back and compare.

Nothing here is part of the default workflow, and nothing is written to the Hub without an explicit confirmation.
Every step can be interrupted: a later run finds what is done and goes on from there.
"""
