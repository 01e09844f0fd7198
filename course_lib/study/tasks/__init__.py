"""What a trial trains: tasks with a fixed budget, their optimizer, schedules and clock."""
