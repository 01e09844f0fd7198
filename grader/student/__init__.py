"""The student's program: `student check`, `progress`, `debug`, `translate` and `submit`."""
