"""What this course hides from students: tests, mistakes, right answers; a folder an assignment."""
