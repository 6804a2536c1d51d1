"""Names that somebody careless or unkind might give; every test of this folder uses the same ones.

Each command among them makes a file whose name begins with CANARY, so that a test can see whether it was run.
"""

from __future__ import annotations

from pathlib import Path

CANARY = "was-run"

#: What a shell, a path, Snakemake, YAML, a page or a spreadsheet could take for something else than a name.
NAMES = {
    "blank": "a b",
    "two words and an option": "a --out b",
    "semicolon": f"a;touch {CANARY}-1",
    "and": f"a&&touch {CANARY}-2",
    "ampersand": f"a & touch {CANARY}-3",
    "pipe": f"a|touch {CANARY}-4",
    "dollar and parentheses": f"$(touch {CANARY}-5)",
    "dollar and braces": "${HOME}",
    "dollar": "$HOME",
    "backticks": f"`touch {CANARY}-6`",
    "double quote": f'a";touch {CANARY}-7;"',
    "single quote": f"a';touch {CANARY}-8;'",
    "both quotes": 'it\'s "so"',
    "newline": f"a\ntouch {CANARY}-9\n",
    "carriage return": "a\rb",
    "tab": "a\tb",
    "null": "a\0b",
    "escape": "\x1b[31mred",
    "backslash": "a\\b",
    "redirection": f"a > {CANARY}-10",
    "here document": "a << b",
    "star": "*",
    "question mark": "?",
    "brackets": "[a]",
    "tilde": "~root",
    "exclamation mark": "!!",
    "hash": "a#b",
    "percent": "%s%n",
    "equals": "a=b",
    "braces": "{lang}",
    "double braces": "{{lang}}",
    "Python format": "{0.__class__}",
    "leading hyphen": "-rf",
    "leading hyphens": "--help",
    "one point": ".",
    "two points": "..",
    "path upwards": "../../etc/passwd",
    "path upwards inside": "a/../../b",
    "path from the root": "/etc/passwd",
    "backslash path": "..\\..\\b",
    "address": "file:///etc/passwd",
    "empty": "",
    "blanks only": "   ",
    "not ASCII": "modèle-ünï",
    "full-width": "ａ",
    "right to left": "a\u202eb",
    "zero width": "a\u200bb",
    "line separator": "a\u2028b",
    "script": "<script>document.title='was-run'</script>",
    "image": "<img src=x onerror=\"document.title='was-run'\">",
    "end of a comment": "--><b>",
    "entity": "&lt;",
    "Markdown": "[a](javascript:x)|`b`",
    "LaTeX": "\\write18{touch was-run-11} \\input{/etc/passwd}",
    "mathematics": "$x_{^$",
    "formula": "=cmd|' /C touch was-run-12'!A0",
    "formula of a sum": '@SUM(1+1)*HYPERLINK("x")',
    "YAML tag": "!!python/object/apply:os.system ['touch was-run-13']",
    "YAML alias": "*a",
    "template": "{% for x in ().__class__.__base__.__subclasses__() %}{{ x }}{% endfor %}",
    "very long": "a" * 5000,
}


def was_run(*folders: Path) -> list[Path]:
    """The files that a command hidden in a name has made below some folders."""
    return [path for folder in folders for path in folder.rglob(f"{CANARY}*")]
