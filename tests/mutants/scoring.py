"""`nox -s mutate-scoring`: every small change of scoring code is noticed by a test.

`python -m tests.mutants.scoring FOLDER [mutmut|module]` copies scoring and its tests to FOLDER and
mutates there. `mutmut` changes functions, many in one process. It leaves alone what stands at the
top of a module and what is decorated, and the changes it makes to what runs at import (the readers
of records.py) come too late to be seen: `module` makes all of these one by one. Survivors are
printed with their difference; those that change no number are justified in docs/scoring.md.
"""

from __future__ import annotations

import ast
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
TESTS = (
    "tests/__init__.py", "tests/unit/__init__.py", "tests/unit/test_scoring.py",
    "tests/properties/test_scoring_properties.py", "tests/vectors/test_scoring_oracle.py",
    "tests/vectors/test_statistics_vectors.py", "tests/vectors/statistics.json",
    "tests/vectors/scores.json",
)  # fmt: skip
NEEDED = ("__init__.py", "errors.py", "scoring", "formats/__init__.py", "formats/canonical.py",
          "formats/jsonio.py")  # fmt: skip
# The two read the source itself, or run it without mutmut's switch.
CONFIG = """\
[tool.mutmut]
paths_to_mutate = ["clawpro_artifact/scoring"]
also_copy = ["clawpro_artifact", "tests"]
tests_dir = ["tests"]
pytest_add_cli_args = [
    "-x", "-q", "-p", "no:cacheprovider", "-k", "not machine_settings and not 600_lines",
]
[tool.pytest.ini_options]
markers = ["slow: longer than a unit test may take"]
"""
_QUICK = [name for name in TESTS if Path(name).name.startswith("test_")]
READERS = ("_each", "_object", "_map", "_array", "_known", "_is", "_one_of", "_decimal", "_or_null")
SWAPS: dict[type[ast.AST], type[ast.AST]] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq, ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.And: ast.Or, ast.Or: ast.And,
    ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div,
    ast.Div: ast.Mult, ast.Pow: ast.Mult,
}  # fmt: skip


def prepare(folder: Path) -> None:
    """What mutants run in."""
    for name in TESTS:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, folder / name)
    for name in NEEDED:
        source, target = ROOT / "clawpro_artifact" / name, folder / "clawpro_artifact" / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.is_dir():
            shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(source, target)
    (folder / "pyproject.toml").write_text(CONFIG)


def mutmut(folder: Path) -> int:
    """All mutants of functions; prints the survivors."""
    program = str(Path(sys.executable).parent / "mutmut")
    subprocess.run([program, "run", "--max-children", "2"], cwd=folder, check=True)
    listed = subprocess.run([program, "results"], cwd=folder, check=True, capture_output=True,
                            text=True).stdout  # fmt: skip
    names = [
        line.split(":")[0].strip()
        for line in listed.splitlines()
        if "survived" in line and not any(f".x_{name}__" in line for name in READERS)
    ]
    for name in names:
        subprocess.run([program, "show", name], cwd=folder, check=True)
    print(f"mutmut: {len(names)} survived")
    return len(names)


def module(folder: Path) -> int:
    """All mutants at the top of modules and in decorated functions; prints the survivors."""
    survived = total = 0
    for path in sorted((folder / "clawpro_artifact" / "scoring").glob("*.py")):
        whole = path.read_text()
        for said, changed in changes(whole):
            path.write_text(changed)
            total += 1
            done = subprocess.run(
                [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", *_QUICK,
                 "-k", "not machine_settings and not 600_lines"],
                cwd=folder, capture_output=True, timeout=600,
            )  # fmt: skip
            if done.returncode == 0:
                survived += 1
                print(f"survived: {path.name}:{said}", flush=True)
        path.write_text(whole)
    print(f"module: {survived} of {total} survived")
    return survived


def changes(source: str) -> Iterator[tuple[str, str]]:
    """(place and change, the module with it), one at a time."""
    for number in range(_count(ast.parse(source))):
        tree = ast.parse(source)
        said = _change(tree, number)
        yield said, ast.unparse(ast.fix_missing_locations(tree))


def _nodes(tree: ast.Module) -> Iterator[ast.AST]:
    for statement in tree.body:
        if isinstance(statement, ast.ImportFrom | ast.Import | ast.ClassDef):
            continue
        if isinstance(statement, ast.FunctionDef) and not (
            statement.decorator_list or statement.name in READERS
        ):
            continue
        if isinstance(statement, ast.Expr | ast.If):  # docstring, the call of main
            continue
        for node in ast.walk(statement):
            number = isinstance(node, ast.Constant) and _other(node.value) is not None
            operator = isinstance(node, ast.Compare | ast.BoolOp | ast.BinOp) and _swap(node)
            if number or operator:
                yield node


def _count(tree: ast.Module) -> int:
    return sum(1 for _ in _nodes(tree))


def _change(tree: ast.Module, number: int) -> str:
    node = list(_nodes(tree))[number]
    before = ast.unparse(node)
    if isinstance(node, ast.Constant):
        node.value = _other(node.value)
    elif isinstance(node, ast.Compare):
        node.ops[0] = SWAPS[type(node.ops[0])]()  # type: ignore[assignment]
    elif isinstance(node, ast.BoolOp | ast.BinOp):
        node.op = SWAPS[type(node.op)]()  # type: ignore[assignment]
    return f"{node.lineno}: {before} -> {ast.unparse(node)}"  # type: ignore[attr-defined]


def _other(value: object) -> object:
    """Another value of a number, or of a text that is used as one or as a word."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + 1
    if isinstance(value, str) and 0 < len(value) < 64 and " " not in value:
        head, last = value[:-1], value[-1]
        return head + str((int(last) + 1) % 10) if last.isdigit() else value + "x"
    return None


def _swap(node: ast.Compare | ast.BoolOp | ast.BinOp) -> bool:
    return type(node.ops[0] if isinstance(node, ast.Compare) else node.op) in SWAPS


def main() -> int:
    folder = Path(sys.argv[1])
    if folder.exists():
        print(f"{folder} is there already", file=sys.stderr)
        return 2
    prepare(folder)
    wanted = sys.argv[2:] or ["mutmut", "module"]
    return min(1, sum({"mutmut": mutmut, "module": module}[name](folder) for name in wanted))


if __name__ == "__main__":
    sys.exit(main())
