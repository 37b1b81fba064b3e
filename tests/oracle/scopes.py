"""What names a generated statement may use at a place: tables, aliases, columns."""

from dataclasses import dataclass, field

from tables import Table


@dataclass(frozen=True)
class Source:
    """Something in FROM, under the name that it has there."""

    name: str
    columns: tuple
    table: Table = None  # for a queue table


@dataclass
class Scope:
    sources: list = field(default_factory=list)
    # Names that USING or NATURAL has merged: bare, they are not ambiguous.
    merged: dict = field(default_factory=dict)
    outer: "Scope" = None

    def columns(self, wanted=None):
        """(source, column) of all columns, or of those of a type."""
        return [
            (s, c) for s in self.sources for c in s.columns if wanted is None or c.type == wanted
        ]

    def bare(self, name):
        """Whether the name alone means one column here."""
        return name in self.merged or sum(c.name == name for s in self.sources for c in s.columns) == 1

    def knows(self, name):
        return any(c.name == name for s in self.sources for c in s.columns)

    def star(self):
        """The columns of `*`."""
        out = list(self.merged.values())
        return out + [c for s in self.sources for c in s.columns if c.name not in self.merged]
