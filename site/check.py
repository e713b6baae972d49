# SPDX-License-Identifier: GPL-3.0-or-later
"""Every link of the site leads to a file and a place in it, and no page loads anything from the network. Argument: the
folder of the site."""
import html.parser
import pathlib
import sys
import urllib.parse

folder = pathlib.Path(sys.argv[1]).resolve()


class Page(html.parser.HTMLParser):
    def __init__(self, path):
        super().__init__()
        self.links, self.loads, self.places = [], [], set()
        self.feed(path.read_text())

    def handle_starttag(self, tag, attributes):
        found = dict(attributes)
        self.places |= {found[key] for key in ("id", "name") if found.get(key)}
        if tag == "a" and found.get("href"):
            self.links.append(found["href"])
        self.loads += [found[key] for key, tags in (("src", ("img", "script", "iframe")), ("href", ("link",)),
                                                    ("data", ("object",))) if tag in tags and found.get(key)]


pages = {path: Page(path) for path in folder.glob("**/*.html")}
bad = []
for path, page in pages.items():
    name = path.relative_to(folder)
    for link in page.links + page.loads:
        parts = urllib.parse.urlsplit(link)
        if parts.scheme or parts.netloc:
            bad += [f"{name}: loads {link}"] * (link in page.loads and parts.scheme != "data")
            continue
        target = (path.parent / urllib.parse.unquote(parts.path)).resolve() if parts.path else path
        place = urllib.parse.unquote(parts.fragment)
        if not target.is_file():
            bad.append(f"{name}: {link} is not there")
        elif place and target in pages and place not in pages[target].places:
            bad.append(f"{name}: {link} has no such place")
print("\n".join(bad) if bad else f"{len(pages)} pages, {sum(len(page.links) for page in pages.values())} links")
sys.exit(bool(bad) or not pages)
