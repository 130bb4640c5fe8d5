import re


def slug(title: str) -> str:
    """The title in small letters, its words joined by hyphens."""
    return "-".join(re.findall(r"[a-z0-9]+", title.lower()))
