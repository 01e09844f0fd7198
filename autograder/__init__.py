"""Hidden material: tests, mistakes and right answers, one folder per assignment."""
