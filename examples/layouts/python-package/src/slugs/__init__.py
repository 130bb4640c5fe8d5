"""Titles as they stand in addresses."""

from .slug import slug

__all__ = ["slug"]
