"""Views of the one implementation: starters, solutions, stubs and the students' library."""
