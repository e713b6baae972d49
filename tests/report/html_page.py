# SPDX-License-Identifier: GPL-3.0-or-later
"""Pages of a sweep with real cases whose every text is hostile, as Markdown and as HTML: well-formed, whole in one file,
nothing lost, nothing taken for markup. html_page.py PROGRAM"""
import base64
import hashlib
import html.parser
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

PROGRAM = sys.argv.pop(1)
HOSTILE = [  # a brace without _ before it begins an expression
    "<script>alert(1)</script>", "</script><script>alert(2)</script>", "<img src=x onerror=alert(3)>", "</title><b>",
    "</style><b>", "</h4><h1>", "</td></tr></table>", "<!-- ", "-->", "<![CDATA[", "]]>", "&lt;b&gt;", "&#60;b&#62;",
    "\" onmouseover=\"alert(4)", "' onmouseover='alert(5)", "`$_{alert(6)}`", "javascript:alert(7)", "<svg/onload=alert(8)>",
    "<iframe src=https://example.org>", "<a href='javascript:alert(9)'>x</a>", "<base href=//example.org/>",
    "<meta http-equiv=refresh content=0>", "<link rel=stylesheet href=//example.org/x.css>", "a < b && c > d", "\\\"'\\'",
    "%s%n%d", "Ωμέγα – τ ≤ 2/ω", "<details open ontoggle=alert(10)>", "_{7*7}<%= 7*7 %>",
    "<plaintext>", "<textarea>", "✓ of no verdict", "✗ of no verdict", "– of no verdict",
]
VOID = {"meta", "img", "br", "link", "hr", "input", "col"}


def sweep():
    """Thirty tables with hostile titles, and hostile words wherever else a sweep has some; JSON is YAML."""
    tables = [{"id": f"t{i}", "title": hostile, "note": HOSTILE[-1 - i], "rows": "substeps", "columns": "integrator",
               "cell": "blowup_time"} for i, hostile in enumerate(HOSTILE)]
    flat = {"id": "flat", "rows": ["substeps", "integrator"],
            "columns": [{"label": HOSTILE[5], "unit": HOSTILE[6], "value": "blowup_time"}]}
    return json.dumps({
        "springbench": 1, "name": "hostile", "question": HOSTILE[0], "source": HOSTILE[1], "driver": "blowup", "timed": False,
        "defaults": {"scene": "rope", "nodes": 8, "frames": 20},
        "sweep": [{"grid": {"integrator": ["explicit_euler", "symplectic_euler"], "substeps": [4, 9, 64]}}],
        "exclude": [{"when": "integrator == explicit_euler and substeps == 9", "because": HOSTILE[2]}],
        "tables": [*tables, flat],
        "figures": [{"id": "drawn", "title": HOSTILE[3], "kind": "curves", "x": "substeps", "y": "steps_done",
                     "series": "integrator"},
                    {"id": "signed", "title": HOSTILE[-2], "kind": "scatter", "x": "substeps", "y": "steps_done"}],
        "answer": HOSTILE[7] + "{count(blowup_time)}" + HOSTILE[12],
        "expect": [{"claim": HOSTILE[13], "test": "count(blowup_time) > 0"},
                   {"claim": "it cannot be", "test": "count(blowup_time) == 0", "contradicted": HOSTILE[14]},
                   {"claim": "of another day", "finding": "rope-explicit-64", "test": "max(blowup_time) > 1e9"},
                   {"claim": "✗ of nobody", "test": "count(blowup_time) > 0", "where": "status == crashed"}]}, indent=1)


class Page(html.parser.HTMLParser):
    """The tree that a browser would make of it, and the faults that no page of ours may have."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.raw, self.open, self.bad, self.texts, self.tags, self.scripts = text, [], [], [], [], []
        self.feed(text)
        self.close()
        self.bad += [f"<{tag}> is not closed" for tag in self.open]
        self.ids, self.links = ([given[name] for _, given in self.tags if name in given] for name in ("id", "href"))

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        self.tags.append((tag, given))
        if tag not in VOID:
            self.open.append(tag)
        if len(given) != len(attributes):
            self.bad.append(f"<{tag}> has an attribute twice")
        self.bad += [f"<{tag} {name}>" for name in given if name.startswith("on") or name in ("srcset", "action", "data")]
        if tag in ("iframe", "object", "embed", "base", "link", "form", "textarea", "plaintext", "video", "audio", "svg"):
            self.bad.append(f"<{tag}>")
        if not given.get("src", "data:image/").startswith("data:image/"):
            self.bad.append(f"<{tag} src={given['src'][:60]}>")
        if re.match(r"\s*(\w+:|//)", given.get("href", "")):
            self.bad.append(f"<a href={given['href'][:60]}>")
        if given.get("http-equiv", "Content-Security-Policy") != "Content-Security-Policy":
            self.bad.append(f"<meta http-equiv={given['http-equiv']}>")

    def handle_endtag(self, tag):
        if tag in VOID:
            return
        if not self.open or self.open[-1] != tag:
            self.bad.append(f"</{tag}> closes {self.open[-1:] or 'nothing'}")
        if tag in self.open:
            while self.open.pop() != tag:
                pass

    def handle_comment(self, text):
        self.bad.append(f"comment {text[:40]}")

    def handle_data(self, text):
        if self.open[-1:] == ["script"]:
            self.scripts.append(text)
        elif self.open[-1:] != ["style"]:
            self.texts.append(text)


class Reports(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp())
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        (cls.folder / "hostile.yaml").write_text(sweep())
        data, ours = cls.folder / "data", pathlib.Path(__file__).resolve().parents[2]
        for name in "plots", "results/published":
            (data / name).parent.mkdir(parents=True, exist_ok=True)
            (data / name).symlink_to(ours / name)
        (data / "experiments").mkdir()
        (data / "experiments" / "hostile.yaml").write_text(sweep())  # only sweeps that come with springbench answer findings
        for name, text in (("findings/rope.md", "# The rope\n\n<p align=\"center\"><img src=\"../pictures/a.png\" alt=\"swings\">"
                            "</p>\n\n[Liu](../bibliography.md#liu2013), [model](../model.md)\n"),
                           ("bibliography.md", "# Papers\n\n### liu2013\n\nLiu et al.\n"), ("pictures/a.png", "?" * 30)):
            (cls.folder / "docs" / name).parent.mkdir(parents=True, exist_ok=True)
            (cls.folder / "docs" / name).write_text(text)
        cls.environment = {**os.environ, "SPRINGBENCH_DATA": str(data)}
        cls.out = cls.folder / "all" / "<i>&'\" #%"
        cls.call("run", cls.folder / "hostile.yaml", "-o", cls.out)
        cls.written = Page((cls.out / "report.html").read_text())
        broken = cls.folder / "all" / "broken"
        broken.mkdir()
        (broken / "sweep.yaml").write_text("springbench: 1\n\"<script>alert(11)</script>\": 1\n")
        (broken / "plan.json").write_text("{}")
        (cls.out / "animations").mkdir()
        (cls.out / "animations" / "small.gif").write_bytes(b"GIF89a\x10\x00\x08\x00" + bytes(100))
        (cls.out / "animations" / "<big>.gif").write_bytes(bytes(5 << 20))
        for directory, status in ((cls.out, 0), (cls.folder / "all", 9)):  # the second has a sweep that cannot be read
            said = cls.call("report", directory, status=status)
            assert said.stdout == f"{directory}/report.html\n", said.stdout
        cls.one, cls.all = (Page((folder / "report.html").read_text()) for folder in (cls.out, cls.folder / "all"))

    @classmethod
    def call(cls, *arguments, status=0):
        done = subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True, timeout=300,
                              env=cls.environment)
        assert done.returncode == status, (done.returncode, done.stdout + done.stderr)
        return done

    def test_well_formed_and_alone_with_every_text_as_text(self):
        for page in (self.one, self.all):
            self.assertEqual(page.bad, [])
            self.assertEqual(len(page.ids), len(set(page.ids)), "an id stands twice")
            lost = [link for link in page.links if link.startswith("#") and link[1:] not in page.ids]
            self.assertEqual(lost, [], "links that lead nowhere")
            self.assertEqual([given for tag, given in page.tags if tag == "script"], [{}], "ours alone")
            hashed = base64.b64encode(hashlib.sha256("".join(page.scripts).encode()).digest()).decode()
            self.assertEqual([given["content"] for _, given in page.tags if "http-equiv" in given],
                             [f"default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src 'sha256-{hashed}'"])
            # Entities of adjacent pieces come apart: texts are compared without blanks.
            shown = "".join("".join(page.texts).split())
            for hostile in HOSTILE:
                self.assertGreaterEqual(shown.count("".join(hostile.split())), 2, hostile)

    def test_nothing_is_lost(self):
        page, text = self.one, " ".join(self.one.texts)
        for name in ("claims", "figures", "tables", "how-to-read-this-page", "cases", "machine-and-provenance", "animations",
                     "figure-drawn", "table-flat", *(f"table-t{i}" for i in range(len(HOSTILE)))):
            self.assertIn(name, page.ids)
        self.assertEqual(re.findall(r"<li><strong class=\"(\w+)\">. ([\w ]+)<", page.raw),
                         [("good", "reproduced"), ("other", "contradicted"), ("bad", "NOT REPRODUCED"),
                          ("none", "not tested")])
        self.assertEqual(re.findall(r"<strong class[^<]*of no.*", page.raw), [], "a text that passes for a verdict")
        self.assertLess(*(page.ids.index(name) for name in ("figures", "claims")))
        self.assertIn("</summary><code>count(blowup_time) &gt; 0</code></details>", page.raw)
        self.assertEqual(re.search(r"<strong class=\"bad\">(✗ [^<]+)</strong>.*?(\d+)", page.raw).groups(),
                         ("✗ Refuted here: 1 of 4 claims does not hold.", "4"))
        self.assertEqual(len([each for each in page.ids if each.startswith("case-")]), 6)
        self.assertEqual(len([each for each in page.texts if each.startswith("springbench case ")]), 6)
        self.assertEqual(sum(tag == "table" for tag, _ in page.tags), len(HOSTILE) + 2)
        for words in ("blows up within a few frames", "springbench run '<i>&'\\''\" #%' --rerun all", "6 cases: ", "compiler",
                      "of another day", "integrator =", "the motion, animated (too large for this page"):
            self.assertIn(words, text)
        images = [given for tag, given in page.tags if tag == "img"]
        self.assertEqual(sorted(given["class"] for given in images), ["gif", "svg+xml", "svg+xml"])
        self.assertIn(HOSTILE[3], [given["alt"] for given in images])

    def test_all_sweeps(self):
        text = " ".join(self.all.texts)
        for words in ("published findings", "rope-explicit-64", "cannot be read", "<script>alert(11)</script>"):
            self.assertIn(words, text)
        sweeps = [given["id"] for tag, given in self.all.tags if tag == "details" and "id" in given]
        pages = ["docs/findings/rope.md", "docs/bibliography.md"]
        self.assertEqual(sweeps, [".3Ci.3E.26.27.22.20.23.25", "broken", *pages])
        for link in "#docs/findings/rope.md", "#docs/bibliography.md:liu2013", "../docs/model.md":
            self.assertIn(link, self.all.links)
        self.assertIn("swings", [given.get("alt") for _, given in self.all.tags])

    def test_the_markdown_says_the_same(self):
        index, findings, one = ((self.folder / "all" / name).read_text()
                                for name in ("index.md", "REPRODUCED.md", f"{self.out.name}/report.md"))
        self.assertIn("](%3Ci%3E%26%27%22%20%23%25/report.md)", index)
        self.assertIn("`rope-explicit-64`", findings)
        for text in (one, index, findings):
            self.assertTrue(text.startswith("<!-- made by springbench"))
            plain = re.sub(r"```.*?```|`.*?`", "", text.replace("<!-- made", ""), flags=re.S)
            self.assertIsNone(re.search(r"(?<!\\)<(?!/?(a|code|small|details|summary|br)\b)", plain))
        self.assertIn("![\\</title\\>\\<b\\>](figures/drawn.svg)", one)

    def test_run_leaves_one_and_others_are_refused(self):
        self.assertEqual(self.written.bad, [])
        self.assertIn("table-flat", self.written.ids)
        self.assertIn("is not a directory", self.call("report", self.folder / "none", status=2).stderr)
        self.call("report", status=2)
        self.assertFalse(list(self.folder.glob("all/*.part")) + list(self.folder.glob("all/.*.part")))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
