"""The engine's messages in Python's words: its command's flags become keywords."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache

from . import _engine

# What a flag is called here where that is not its name with underscores.
_NAMES = {
    "reg": "regulariser",
    "seed": "random_state",
    "edges": "edge_index",
    "features": "x",
    "labels": "y",
    "self": "include_self",
    "edge_split": "link()",
    "calibrate": "calibrate()",
}

# Whole phrases, before the flags in them are looked at.
_PHRASES = [
    (re.compile(r"no recipe: the defaults and the flags"), "no recipe: the defaults and what was set"),
    (
        re.compile(r"folders that creg train --out wrote, or the file of --store"),
        "fitted models, folders of runs, or the file of a store of runs",
    ),
    (
        re.compile(r"name it as features of a graph: creg data info --edges EDGES\.csv --features .*"),
        "it is the x of Graph(edge_index, x)",
    ),
    (re.compile(r"use --mirror URL\|DIR"), "name it by mirror, a folder or an address"),
    (re.compile(r"--mirror DIR takes the files from a folder"), "mirror takes them from a folder"),
    (re.compile(r"use --mirror URL or --mirror DIR"), "name an address or a folder by mirror"),
    (re.compile(r"use --mirror DIR, which"), "name the folder by mirror, which"),
    (re.compile(r"say where with --data-dir DIR"), "say where by data_dir"),
    (
        re.compile(r"'creg data get (\S+)' replaces it"),
        r'load_dataset("\1", download=True) replaces it',
    ),
    (re.compile(r"run `creg data get (\S+)`"), r'load_dataset("\1", download=True) gets it'),
    (
        re.compile(r"creg info tells what is in; without the flag the search is exact"),
        "approximate=False compares all pairs",
    ),
    (
        re.compile(r"creg data convert NAME graph\.creg on a larger machine"),
        'load_dataset(name).save("graph.creg") on a larger machine',
    ),
    (re.compile(r"creg history and creg calibrate draw figures without it"), "plot() needs none"),
    (
        re.compile(r"creg train --resume (\S+) goes on with it"),
        r"fit(graph, out='\1', resume=True) goes on with it",
    ),
    (re.compile(r", or '?creg data get \S+ --mirror DIR'? with a folder that has the files"), ""),
    (re.compile(r"run '(creg data get [^'\s]+)'"), "load_dataset(name, download=True) gets them"),
    (
        re.compile(r"give a table with --features FILE or the key `features`"),
        "give the graph a table of features, x",
    ),
    (re.compile(r"--out DIR writes elsewhere"), "another out writes elsewhere"),
    (re.compile(r"(choose another \w+) with --out"), r"\1 with out"),
    (re.compile(r"\bcreg train --out DIR\b"), "fit(graph, out=folder)"),
    (re.compile(r"--unknown-ids drop"), "drop_unknown_ids=True"),
    (re.compile(r"--dataset (?:NAME or FILE|NAME|FILE)"), "load_dataset(name)"),
    (re.compile(r"--edges FILE"), "edge_index"),
]

_FLAG = re.compile(r"--(?P<no>no-)?(?P<flag>[a-z][a-z0-9-]*[a-z0-9]|[a-z])")
_NUMBER = r"-?\d+(?:\.\d+)?(?:e[-+]?\d+)?"
_TRUTHS = {"overwrite", "resume", "directed", "allow_empty"}


@lru_cache(maxsize=1)
def _values() -> dict[str, str]:
    """By key: a pattern of a value that may follow the flag; empty for a truth."""
    found: dict[str, str] = {}
    for one in _engine.parameters():
        if one.truth:
            found[one.key] = ""
            continue
        words = re.split(r"\|", one.values.split(",")[0])
        names = [re.escape(word) for word in words if re.fullmatch(r"[a-z][\w-]*", word)]
        found[one.key] = "|".join([*sorted(names, key=len, reverse=True), _NUMBER])
    found["device"] = r"cuda(?::\d+)?|cpu|auto"
    found["precision"] = "fp32|tf32|bf16"
    found["normalize"] = "none|l2|spread"
    found["protocol"] = r"[a-z][a-z0-9:/-]*"
    found["similarity"] = "cosine|dot"
    return found


def _quoted(text: str) -> str:
    return text if re.fullmatch(_NUMBER, text) else f'"{text}"'


def keyword(key: str) -> str:
    """The keyword of a key of the table or of a flag without its dashes."""
    plain = key.replace("-", "_")
    return _NAMES.get(plain, plain)


def _translate(text: str) -> str:
    at = 0
    out: list[str] = []
    for match in _FLAG.finditer(text):
        if match.start() < at:
            continue
        out.append(text[at : match.start()])
        key = match["flag"].replace("-", "_")
        name = keyword(match["flag"])
        at = match.end()
        values = _values().get(key)
        if match["no"]:
            out.append(f"{name}=False")
        elif values == "" or (values is None and key in _TRUTHS):
            out.append(f"{name}=True")
        elif values is None:
            out.append(name)
        else:
            # A flag may list what it takes: "--encoder gcn or sage".
            one = rf"(?:{values})(?![\w-])"
            listed = re.compile(rf"[ =]({one}(?:(?:, | or |, or ){one})*)").match(text, at)
            out.append(name)
            if listed:
                words = re.sub(rf"(?<![\w-]){one}", lambda m: _quoted(m[0]), listed[1])
                out.append("=" + words)
                at = listed.end()
    out.append(text[at:])
    return "".join(out)


@lru_cache(maxsize=1024)  # labels of progress come again and again
def in_python(text: str) -> str:
    """`text` with keywords in place of flags.

    >>> in_python("--no-channel-norm, or --batch-size 0")
    'channel_norm=False, or batch_size=0'
    """
    for pattern, words in _PHRASES:
        text = pattern.sub(words, text)
    return _translate(text) if "--" in text else text


def subject(file: str, renamed: Mapping[str, str] | None = None) -> str:
    """What an error is about: a keyword where the engine names a flag or a key, else a file."""
    key = file.removeprefix("--")
    if renamed and key in renamed:
        return renamed[key]
    if file.startswith("--") or file == "reg":
        return keyword(key)
    return file
