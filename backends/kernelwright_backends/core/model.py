"""The base of every domain object: frozen, exact about its fields, comparable by value."""

from pydantic import BaseModel, ConfigDict


class Model(BaseModel):
    """A frozen record. Unknown fields are refused, so that a misspelt one never passes silently."""

    model_config = ConfigDict(frozen=True, extra="forbid")
