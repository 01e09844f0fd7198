"""Quizzes: questions with feedback, a file a lecture part; for a page, paper and nbgrader."""
