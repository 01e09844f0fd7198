"""`python -m grader.student`, where the command `student` is not installed."""

from .program import main

main()
