"""What students get: starters, solutions and student copies, all made from `course_lib`."""
