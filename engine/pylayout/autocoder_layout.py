"""Where a project's own code is imported from: the folders that its tests expect
on the import path, and the workspace's copy of what is installed in place.

It works with Python 3.8 and later, on the standard library alone. Who runs a
project's tests calls arrange in the folder the tests run in, before anything of
the project is imported.
"""
import os
import sys

_FOLDER = os.path.dirname(os.path.abspath(__file__))


def arrange(root):
    """Sets up the import path for the workspace root; returns the folders that come
    first."""
    folders = sources(root)
    folders += [p for p in installs(root) if p not in folders]
    import_from(folders)
    return folders


def sources(root):
    """Returns the src folders of projects around the working folder."""
    found, folder, top = [], os.getcwd(), os.path.realpath(root)
    while True:
        src = os.path.join(folder, "src")
        project = any(os.path.exists(os.path.join(folder, n)) for n in ("pyproject.toml", "setup.py", "setup.cfg"))
        if (project or not found) and os.path.isdir(src) and not os.path.exists(os.path.join(src, "__init__.py")):
            found.append(src)
        above = os.path.dirname(folder)
        if os.path.realpath(folder) == top or above == folder:
            return found
        folder = above


def installs(root):
    """Returns the folders of the workspace that stand for folders outside of it
    from which the project is installed in place, as by pip install -e."""
    root, found = os.path.realpath(root), []
    places = list(sys.path)
    for finder in sys.meta_path:  # an install that maps names to folders
        module = sys.modules.get(getattr(finder, "__module__", None) or "")
        mapping = getattr(module, "MAPPING", None)
        if isinstance(mapping, dict):
            places += [os.path.dirname(p) for p in mapping.values() if isinstance(p, str)]
    for place in places:
        parts = os.path.realpath(place).split(os.sep)
        if foreign(os.path.realpath(place), root):
            for n in range(min(3, len(parts) - 1), 0, -1):
                here = os.path.join(root, *parts[-n:])
                if here not in found and names(here) & names(place):
                    found.append(here)
                    break
    return found


def foreign(path, root):
    """Whether a path is neither in the workspace nor one that installs go to."""
    kept = [root, _FOLDER] + [os.path.realpath(p) for p in (sys.prefix, sys.base_prefix, os.path.dirname(os.__file__))]
    if any(path == k or path.startswith(k.rstrip(os.sep) + os.sep) for k in kept if k != "/usr"):
        return False
    return not any(part in path.split(os.sep) for part in ("site-packages", "dist-packages"))


def names(folder):
    """Returns the importable names of a folder."""
    try:
        entries = os.listdir(folder)
    except OSError:
        return set()
    return {e[:-3] for e in entries if e.endswith(".py")} | {
        e for e in entries if os.path.exists(os.path.join(folder, e, "__init__.py"))}


def import_from(folders):
    """Puts the workspace's own code before any install of it, here and in the
    processes that tests start, and takes our own folder away."""
    for src in reversed(folders):
        if src in sys.path:
            sys.path.remove(src)
        sys.path.insert(0, src)
    old = [p for p in os.environ.get("PYTHONPATH", "").split(os.pathsep) if p and p != _FOLDER]
    path = folders + old
    if path:
        os.environ["PYTHONPATH"] = os.pathsep.join(path)
    else:
        os.environ.pop("PYTHONPATH", None)
    sys.path[:] = [p for p in sys.path if p != _FOLDER]
