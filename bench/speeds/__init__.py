"""Benchmarks of the library's speed, beside torch's own and CTranslate2's."""
