"""Quizzes: questions with feedback, one file per lecture part; for a page, paper and nbgrader."""
