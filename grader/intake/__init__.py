"""Submissions: finds them, opens their files safely, and reads each once."""
