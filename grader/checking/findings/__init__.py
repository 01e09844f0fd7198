"""The findings of a run of tests: right answers, likely mistakes, the exercise to repair first."""
