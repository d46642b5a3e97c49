"""A worker process, `python -m segscore.study`: tasks on standard input, answers on output."""

from .worker import main

if __name__ == "__main__":
    main()
