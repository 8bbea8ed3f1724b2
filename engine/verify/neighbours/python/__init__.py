"""Plays what the tests ask of the code, and what is near it, on the code before and
after an edit."""
