"""Parts of a check that only a notebook shows: its card, cells not run, names the grader lacks."""
