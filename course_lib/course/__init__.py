"""What the course is: its assignments, exercises, and what is handed in."""
