"""A source file as bytes: its encoding, its lines, and positions in it."""
import ast
import io
import tokenize
import warnings


class Refused(Exception):
    """The file can't be worked on, and why."""


ASCII_SUPERSETS = {'utf-8', 'utf-8-sig', 'ascii', 'us-ascii', 'iso-8859-1', 'iso-8859-15', 'cp1252', 'latin-1'}


class Source:
    """Bytes, with the offsets that ast's lines and columns stand for."""

    def __init__(self, content):
        self.bytes = content
        check_encoding(content)
        self.starts = line_starts(content)

    def offset(self, line, column):
        return self.starts[line - 1] + column

    def start(self, node):
        return self.offset(node.lineno, node.col_offset)

    def end(self, node):
        return self.offset(node.end_lineno, node.end_col_offset)

    def text(self, start, end):
        return self.bytes[start:end].decode('utf-8', 'replace')

    def parse(self):
        with warnings.catch_warnings():
            warnings.simplefilter('ignore')
            try:
                return ast.parse(self.bytes)
            except (SyntaxError, ValueError) as e:
                raise Refused('it does not parse: %s' % e)
            except (RecursionError, MemoryError):
                raise Refused('it is nested too deeply')

    def skip(self, at, closing=True):
        """The offset of the next token after at, over blanks, comments, line ends
        and, where closing, closing parentheses."""
        b, n = self.bytes, len(self.bytes)
        while at < n:
            c = b[at:at + 1]
            if c in b' \t\r\n\f\\' or (closing and c == b')'):
                at += 1
            elif c == b'#':
                while at < n and b[at:at + 1] not in b'\r\n':
                    at += 1
            else:
                break
        return at


def check_encoding(content):
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(content).readline)
    except SyntaxError as e:
        raise Refused('its encoding is not known: %s' % e)
    if encoding.lower() not in ASCII_SUPERSETS:
        raise Refused('it is written in %s; only UTF-8 can be edited' % encoding)
    try:
        content.decode('utf-8' if encoding.startswith('utf-8') else 'ascii')
    except UnicodeDecodeError:
        raise Refused('it is not UTF-8')
    if b'\0' in content:
        raise Refused('it has NUL bytes')


def line_starts(content):
    """Offsets of the lines as the compiler counts them: \\n, \\r\\n and \\r end one.
    A byte order mark belongs to no column."""
    starts = [3 if content.startswith(b'\xef\xbb\xbf') else 0]
    at, n = 0, len(content)
    if b'\r' not in content:
        while True:
            at = content.find(b'\n', at) + 1
            if at == 0:
                return starts + [n]
            starts.append(at)
    while at < n:
        c = content[at]
        at += 1
        if c == 13 and at < n and content[at] == 10:
            at += 1
        if c in (10, 13):
            starts.append(at)
    return starts + [n]
