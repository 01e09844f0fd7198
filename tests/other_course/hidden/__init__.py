"""What students of the course about lines do not see."""
