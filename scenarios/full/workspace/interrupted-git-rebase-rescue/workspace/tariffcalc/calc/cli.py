"""Command line."""

import argparse


def arguments(argv):
    """The parsed arguments."""
    parser = argparse.ArgumentParser(prog="tariffcalc")
    parser.add_argument("file")
    return parser.parse_args(argv)
