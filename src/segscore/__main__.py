"""The command line as a module: `python -m segscore`."""

from .cli import main

if __name__ == "__main__":
    main(prog_name="segscore")
