"""`python -m pipefl` is the command `pipefl`."""

from pipefl.cli.app import main

main()
