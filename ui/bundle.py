"""One classic script out of a folder of JavaScript modules, so that the page needs no request and no build step.

Each module becomes a function that returns its exports; imports become reads of those.  Only named imports from
neighbouring files and exported declarations are known, which is all that the modules use; anything else is an error.
"""

from __future__ import annotations

import re
from pathlib import Path

IMPORT = re.compile(r'^import \{([^}]*)\} from "\./([\w-]+\.mjs)";$', re.MULTILINE)
EXPORT = re.compile(r"^export (?=(?:async )?(?:function|class|const|let) )", re.MULTILINE)
EXPORTED_NAME = re.compile(r"^export (?:async )?(?:function|class|const|let) (\w+)", re.MULTILINE)
LEFT_OVER = re.compile(r"^(?:import|export)\b.*", re.MULTILINE)


def bundle(folder: Path, entry: str, call: str) -> str:
    """The module `entry` of `folder` with all that it imports, followed by the statement `call`.

    `call` sees the entry's exports by name.  ValueError for an import or export of an unknown form or a cycle.
    """
    modules: dict[str, str] = {}
    _collect(folder, entry, modules, ())
    bodies = "".join(f'modules["{name}"] = (() => {{\n{body}\n}})();\n' for name, body in modules.items())
    names = ", ".join(EXPORTED_NAME.findall(_read(folder, entry)))
    return f'const modules = {{}};\n{bodies}const {{ {names} }} = modules["{entry}"];\n{call}\n'


def _collect(folder: Path, name: str, modules: dict[str, str], importers: tuple[str, ...]) -> None:
    if name in importers:
        raise ValueError(f"{name} imports itself by way of {', '.join(importers)}")
    if name in modules:
        return
    source = _read(folder, name)
    for _, imported in IMPORT.findall(source):
        _collect(folder, imported, modules, (*importers, name))
    modules[name] = _function_body(name, source)


def _function_body(name: str, source: str) -> str:
    body = IMPORT.sub(lambda match: f'const {{{match[1]}}} = modules["{match[2]}"];', source)
    body = EXPORT.sub("", body)
    if left_over := LEFT_OVER.search(body):
        raise ValueError(f"{name} has a form of import or export that is not known: {left_over[0]}")
    return f"{body.strip()}\nreturn {{ {', '.join(EXPORTED_NAME.findall(source))} }};"


def _read(folder: Path, name: str) -> str:
    return (folder / name).read_text(encoding="utf-8")
