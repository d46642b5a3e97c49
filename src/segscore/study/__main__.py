"""A worker process: `python -m segscore.study` reads cells from standard input and answers on standard output."""

from .worker import main

if __name__ == "__main__":
    main()
