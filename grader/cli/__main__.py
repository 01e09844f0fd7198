"""`python -m grader.cli`, for processes that a command starts itself."""

from . import main

main()
