"""our own installed code -> `clawpro-verify.pyz`: the verifier in one file, deterministic.

It holds what the verifier imports and nothing else, `rfc8785` (pure Python) included; the only
thing that it needs beside Python is `cryptography`.
"""

from __future__ import annotations

import ast
import io
import sys
import zipfile
from importlib import resources, util
from pathlib import Path

from clawpro_artifact.adapters import store
from clawpro_artifact.formats.schemas import schema_folder

_ROOT = "clawpro_artifact"
_MAIN = f"{_ROOT}.cli.alone"
_VENDORED = "rfc8785"
_NEEDED = frozenset({"cryptography"})


def build_verifier(out: Path) -> None:
    """Writes the zipapp; InfraError if the disk refuses. The same code gives the same bytes."""
    files = _modules()
    for entry in schema_folder().iterdir():
        files[f"{_ROOT}/schemas/{entry.name}"] = entry.read_bytes()
    files["__main__.py"] = f"import sys\nfrom {_MAIN} import main\n\nsys.exit(main())\n".encode()
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for path in sorted(files):
            info = zipfile.ZipInfo(path)  # 1980-01-01, as every zip without a time
            info.external_attr = 0o644 << 16
            archive.writestr(info, files[path], zipfile.ZIP_DEFLATED, 9)
    store.write(out, b"#!/usr/bin/env python3\n" + buffer.getvalue(), mode=0o755)


def _modules() -> dict[str, bytes]:
    """Path -> source of every module that the verifier imports, in itself or in a function."""
    wanted, found = [_MAIN, f"{_ROOT}.scoring.__main__"], dict[str, bytes]()
    while wanted:
        name = wanted.pop()
        top = name.partition(".")[0]
        if top in sys.stdlib_module_names or top in _NEEDED:
            continue
        if top not in (_ROOT, _VENDORED):
            raise AssertionError(f"the verifier imports {name}")
        try:
            spec = util.find_spec(name)
        except ModuleNotFoundError:
            spec = None
        if spec is None or spec.origin is None:
            continue  # a name inside a module
        package = spec.submodule_search_locations is not None
        path = name.replace(".", "/") + ("/__init__.py" if package else ".py")
        if path in found:
            continue
        source = Path(spec.origin).read_bytes()
        if name == f"{_ROOT}.cli":
            source = b""  # the full command line stays outside
        found[path] = source
        wanted += _imports(source, name if package else name.rpartition(".")[0])
        wanted += [name.rpartition(".")[0]] if "." in name else []
    for entry in resources.files(f"{_ROOT}.scoring").iterdir():
        if entry.name.endswith(".py"):  # whole, so that its digest is that of the lock
            found[f"{_ROOT}/scoring/{entry.name}"] = entry.read_bytes()
    return found


def _imports(source: bytes, package: str) -> list[str]:
    names = []
    for node in _run(ast.parse(source)):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                parents = package.split(".")
                base = ".".join([*parents[: len(parents) - node.level + 1], *filter(None, [base])])
            names += [base, *(f"{base}.{alias.name}" for alias in node.names)]
    return [n for n in names if n.partition(".")[0] not in sys.stdlib_module_names]


def _run(tree: ast.AST) -> list[ast.AST]:
    """All nodes that may run: what stands under `if TYPE_CHECKING` does not."""
    nodes: list[ast.AST] = []
    stack: list[ast.AST] = [tree]
    while stack:
        node = stack.pop()
        nodes.append(node)
        if isinstance(node, ast.If) and ast.unparse(node.test).endswith("TYPE_CHECKING"):
            stack += node.orelse
        else:
            stack += list(ast.iter_child_nodes(node))
    return nodes
