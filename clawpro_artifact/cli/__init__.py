"""argv -> one API call -> what a person or a machine reads, and an exit code."""

from __future__ import annotations

import argparse
import json
import signal
import sys
import threading
import traceback
from collections.abc import Sequence

from clawpro_artifact import __version__
from clawpro_artifact.cli.screen import Screen
from clawpro_artifact.cli.table import VERBS
from clawpro_artifact.cli.verb import Verb
from clawpro_artifact.errors import EXIT_BUG, EXIT_INTERRUPTED, ClawproError

EXIT_CODES = """\
exit codes:
  0 done, the verdict is yes    1 the tool worked and the answer is no
  2 wrong command line          3 malformed document
  4 a pin does not hold         5 engine, disk or endpoint (try again)
  6 incomplete: fewer than k    7 a secret could not be removed
  8 trust: key, rollback, policy
  70 a bug of ours              130 interrupted (finished trials are kept)
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Run one verb; returns its exit code."""
    parser = _parser()
    arguments = parser.parse_args(argv)
    verb: Verb | None = getattr(arguments, "verb", None)
    if verb is None:
        (getattr(arguments, "group", None) or parser).print_help()
        return 2
    screen = Screen(as_json=arguments.json, quiet=arguments.quiet)
    if threading.current_thread() is threading.main_thread():
        # Whoever stops us by TERM wants containers gone as much as whoever presses Ctrl-C; a
        # shell's background job starts with INT ignored.
        signal.signal(signal.SIGTERM, signal.default_int_handler)
        signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with screen:
            return verb.call(arguments, screen)
    except ClawproError as error:
        if arguments.json:
            print(json.dumps(error.as_json()))
        print(f"clawpro {verb.path}: {error}", file=sys.stderr)
        return error.exit_code
    except KeyboardInterrupt:
        print(
            f"clawpro {verb.path}: interrupted; finished trials are kept, "
            "the same command goes on from there",
            file=sys.stderr,
        )
        return EXIT_INTERRUPTED
    except BrokenPipeError:
        sys.stderr.close()
        return EXIT_INTERRUPTED
    except Exception:
        traceback.print_exc()
        print(
            f"clawpro {verb.path}: this is a bug of clawpro {__version__}; please report the "
            "command, the traceback above and `clawpro doctor --json`",
            file=sys.stderr,
        )
        return EXIT_BUG


def _parser() -> argparse.ArgumentParser:
    common = argparse.ArgumentParser(add_help=False)
    common.add_argument("--json", action="store_true", help="print one JSON document per result")
    common.add_argument("--quiet", action="store_true", help="no progress, only results")
    parser = argparse.ArgumentParser(
        prog="clawpro",
        description="Evaluation results of AI agents that a stranger can check.",
        epilog=EXIT_CODES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"clawpro {__version__}")
    top = parser.add_subparsers(title="verbs", metavar="VERB")
    groups: dict[str, argparse._SubParsersAction[argparse.ArgumentParser]] = {}
    for verb in VERBS:
        first, _, second = verb.path.partition(" ")
        if second and first not in groups:
            group = top.add_parser(first, help=f"verbs about {first}")
            group.set_defaults(group=group)
            groups[first] = group.add_subparsers(title="verbs", metavar="VERB")
        place, name = (groups[first], second) if second else (top, first)
        one = place.add_parser(
            name,
            help=verb.help,
            description=verb.about or verb.help,
            parents=[common],
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        for argument in verb.arguments:
            one.add_argument(*argument.names, **argument.options)
        one.set_defaults(verb=verb)
    return parser
