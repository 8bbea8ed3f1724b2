"""What the repair engine runs on a project's own interpreter.

It needs the standard library alone, Python 3.8 or newer, and beside it the
pytest that the project already has.
"""
