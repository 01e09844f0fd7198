"""How trained models are scored: what the grader asks for by the names of course.toml."""
