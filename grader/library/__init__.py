"""The library's source as text: components, stubs, and the tree that students and workers get."""
