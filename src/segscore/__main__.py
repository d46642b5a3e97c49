"""The command line: the command `segscore`, and `python -m segscore`."""

import sys

__all__ = ["main"]


def main() -> None:
    """Run the command line; an error or Ctrl-C while it is imported is printed in one line, too."""
    try:
        from .cli import main as commands
    except ImportError as error:
        print(f"segscore: {error}", file=sys.stderr)
        sys.exit(2)
    except KeyboardInterrupt:
        print("segscore: interrupted", file=sys.stderr)
        sys.exit(130)
    commands(prog_name="segscore")


if __name__ == "__main__":
    main()
