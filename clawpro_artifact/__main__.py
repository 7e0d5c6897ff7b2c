"""`python -m clawpro_artifact` -> the command line."""

from clawpro_artifact.cli import main

if __name__ == "__main__":
    raise SystemExit(main())
