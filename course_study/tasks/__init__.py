"""The tasks that trials train: tasks with a fixed budget, their optimizer, schedules and clock."""
