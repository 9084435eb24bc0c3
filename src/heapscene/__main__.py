"""``python -m heapscene`` is the command line."""

from heapscene.cli import main

if __name__ == "__main__":
    main()
