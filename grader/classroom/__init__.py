"""The class: who is in it, under which names, and with which due dates."""
