"""Statements as trees of text.

A statement is a Node whose parts are texts, values and further Nodes. It is rendered for each
side: as text, or with its values as parameters. The shrinker takes pieces out of the tree.
"""

# The column `offset`, bare: mqgate quotes it where the server reserves the word, and a statement
# that goes to that server directly has to say it quoted.
OFFSET = "\1"


class Value:
    """A literal that may also be sent as a parameter."""

    __slots__ = ("text", "value")

    def __init__(self, text, value):
        self.text, self.value = text, value


class Node:
    """A piece of a statement.

    kind      pieces of one kind may stand for each other: "select", "condition", "number", …
    optional  the statement is still one without it
    order     of the clause that orders a whole answer: the columns it orders by, in turn
    """

    __slots__ = ("kind", "parts", "optional", "order")

    def __init__(self, kind, *parts, optional=False, order=None):
        self.kind, self.parts, self.optional, self.order = kind, parts, optional, order

    def walk(self):
        yield self
        for part in self.parts:
            if isinstance(part, Node):
                yield from part.walk()

    def frozen(self):
        """This tree with its values as text, so that none becomes a parameter."""
        parts = [
            p.frozen() if isinstance(p, Node) else p.text if isinstance(p, Value) else p
            for p in self.parts
        ]
        return Node(self.kind, *parts, optional=self.optional, order=self.order)

    def replaced(self, old, new):
        """A copy of this tree in which the Node `old` is `new`."""
        if self is old:
            return new
        parts = [p.replaced(old, new) if isinstance(p, Node) else p for p in self.parts]
        if all(a is b for a, b in zip(parts, self.parts)):
            return self
        return Node(self.kind, *parts, optional=self.optional, order=self.order)


def render(tree, quote_offset=False, params=None):
    """The text. With a list `params` each Value becomes a `?` and is appended there."""
    out = []
    _render(tree, out, params)
    return "".join(out).replace(OFFSET, "`offset`" if quote_offset else "offset")


def _render(piece, out, params):
    for part in piece.parts:
        if part.__class__ is str:
            out.append(part)
        elif part.__class__ is Node:
            _render(part, out, params)
        elif params is None:
            out.append(part.text)
        else:
            out.append("?")
            params.append(part.value)


def joined(separator, pieces):
    """The pieces with a text between them, as parts of a Node."""
    out = []
    for piece in pieces:
        if out:
            out.append(separator)
        out.append(piece)
    return out


# What a piece becomes at its smallest.
SMALLEST = {
    "condition": ["TRUE", "FALSE"],
    "number": ["1"],
    "text": ["'a'"],
    "from": [],
}


def smaller(tree):
    """Trees that are one step smaller, the biggest steps first."""
    nodes = sorted(tree.walk(), key=lambda n: -len(render(n)))
    for node in nodes:
        if node.optional:
            yield tree.replaced(node, Node(node.kind))
        if not node.parts:
            continue
        for inner in node.walk():
            if inner is not node and inner.kind == node.kind:
                yield tree.replaced(node, inner)
        for text in SMALLEST.get(node.kind, []):
            if render(node) != text:
                yield tree.replaced(node, Node(node.kind, text))
