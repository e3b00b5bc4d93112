"""A page of HTML that needs nothing else: no script, no image, no address; it forbids the browser to load anything."""

from html import escape

from kernelwright_backends.display.visible import visible

_POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"


def page(title: str, style: str, body: str) -> str:
    """The page; `title` is escaped here, `body` is HTML whose texts are escaped already."""
    return visible(
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n'
        '<meta name="viewport" content="width=device-width">\n'
        f"<title>{escape(title)}</title>\n<style>{style}</style>\n</head>\n<body>\n{body}\n</body>\n</html>\n"
    )
