"""`python -m pointree`, the same as the command `pointree`."""

from pointree.cli.main import main

main()
