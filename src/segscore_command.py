"""The command `segscore`, outside of the package: importing segscore takes time, in which Ctrl-C has to work, too."""

import sys

__all__ = ["main"]


def main() -> None:
    """Run the command line; an error or Ctrl-C while it is imported is printed in one line, too."""
    try:
        from segscore.cli import main as commands
    except ImportError as error:
        print(f"segscore: {error}", file=sys.stderr)
        sys.exit(2)
    except KeyboardInterrupt:
        print("segscore: interrupted", file=sys.stderr)
        sys.exit(130)
    commands(prog_name="segscore")
