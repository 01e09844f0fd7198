"""`python -m autograder.cli`, for processes that a command starts itself."""

from . import main

main()
