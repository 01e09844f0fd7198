"""Commands that make what students get, and that prove the grader."""
