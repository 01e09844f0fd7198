"""The grader: an engine that knows no course, only the `Course` that it is given."""
