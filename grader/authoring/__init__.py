"""Builds what students get from `course_lib`: starters, solutions and the student copy."""
