"""What a run of tests shows: right answers, likely mistakes, the exercise to repair first."""
