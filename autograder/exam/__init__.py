"""The coding exam: its files for the exam room, and the answer that only it asks for."""
