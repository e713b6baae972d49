"""Reports in HTML, of a sweep with real cases whose every text is hostile: well-formed, whole in one file, nothing lost,
nothing taken for markup. html_page.py PROGRAM"""
import csv
import html.parser
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

PROGRAM = sys.argv.pop(1)
HOSTILE = [
    "<script>alert(1)</script>", "</script><script>alert(2)</script>", "<img src=x onerror=alert(3)>", "</title><b>",
    "</style><b>", "</h4><h1>", "</td></tr></table>", "<!-- ", "-->", "<![CDATA[", "]]>", "&lt;b&gt;", "&#60;b&#62;",
    "\" onmouseover=\"alert(4)", "' onmouseover='alert(5)", "`${alert(6)}`", "javascript:alert(7)", "<svg/onload=alert(8)>",
    "<iframe src=https://example.org>", "<a href='javascript:alert(9)'>x</a>", "<base href=//example.org/>",
    "<meta http-equiv=refresh content=0>", "<link rel=stylesheet href=//example.org/x.css>", "a < b && c > d", "\\\"'\\'",
    "%s%n%d", "Ωμέγα – τ ≤ 2/ω", "<details open ontoggle=alert(10)>", "{{7*7}}<%= 7*7 %>",
    "<plaintext>", "<textarea>",
]
VOID = {"meta", "img", "br", "link", "hr", "input", "col"}


def sweep():
    """Thirty tables with hostile titles, and hostile words wherever else a sweep has some."""
    text = json.dumps
    lines = [
        "springbench: 1", "name: hostile", f"question: {text(HOSTILE[0])}", f"source: {text(HOSTILE[1])}",
        "driver: blowup", "timed: false", "defaults: {scene: rope, nodes: 8, frames: 20}",
        "sweep:", "  - grid: {integrator: [explicit_euler, symplectic_euler], substeps: [4, 9, 64]}",
        f"exclude: [{{when: integrator == explicit_euler and substeps == 9, because: {text(HOSTILE[2])}}}]", "tables:",
    ]
    for i, hostile in enumerate(HOSTILE):
        lines.append(f"  - {{id: t{i}, title: {text(hostile)}, note: {text(HOSTILE[-1 - i])}, rows: substeps, "
                     "columns: integrator, cell: blowup_time}")
    lines += ["  - id: flat", "    rows: [substeps, integrator]", "    columns:",
              f"      - {{label: {text(HOSTILE[5])}, unit: {text(HOSTILE[6])}, value: blowup_time}}",
              "figures:", f"  - {{id: drawn, title: {text(HOSTILE[3])}, script: rope_blowup.gp}}", "expect:",
              f"  - {{claim: {text(HOSTILE[13])}, test: \"count(blowup_time) > 0\"}}",
              f"  - {{claim: it cannot be, test: \"count(blowup_time) == 0\", contradicted: {text(HOSTILE[14])}}}",
              "  - {claim: of another day, finding: rope-explicit-64, test: \"max(blowup_time) > 1e9\"}",
              "  - {claim: of nobody, test: \"count(blowup_time) > 0\", where: substeps == 5}"]
    return "\n".join(lines) + "\n"


class Page(html.parser.HTMLParser):
    """What a browser would make of it, and what no page of ours may hold."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.open, self.bad, self.ids, self.links, self.texts = [], [], [], [], []
        self.scripts, self.tags, self.images, self.policy = [], [], [], ""
        self.feed(text)
        self.close()
        self.bad += [f"<{tag}> is not closed" for tag in self.open]

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        self.tags.append((tag, given))
        if tag not in VOID:
            self.open.append(tag)
        if len(given) != len(attributes):
            self.bad.append(f"<{tag}> has an attribute twice")
        self.bad += [f"<{tag} {name}>" for name in given if name.startswith("on") or name in ("srcset", "action", "data")]
        if tag in ("iframe", "object", "embed", "base", "link", "form", "textarea", "plaintext", "video", "audio"):
            self.bad.append(f"<{tag}>")
        if "src" in given and not given["src"].startswith("data:image/"):
            self.bad.append(f"<{tag} src={given['src'][:60]}>")
        if re.match(r"\s*(\w+:|//)", given.get("href", "")):
            self.bad.append(f"<a href={given['href'][:60]}>")
        if tag == "img":
            self.images.append(given)
        if given.get("http-equiv") == "Content-Security-Policy":
            self.policy = given["content"]
        elif "http-equiv" in given:
            self.bad.append(f"<meta http-equiv={given['http-equiv']}>")
        if "id" in given:
            self.ids.append(given["id"])
        if "href" in given:
            self.links.append(given["href"])

    def handle_endtag(self, tag):
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
        (cls.folder / "hostile.yaml").write_text(sweep())
        cls.out = cls.folder / "all" / "<i>&'\" #%"
        cls.call("run", cls.folder / "hostile.yaml", "-o", cls.out)
        cls.written = (cls.out / "report.html").read_text()
        broken = cls.folder / "all" / "broken"
        broken.mkdir()
        (broken / "sweep.yaml").write_text("springbench: 1\n\"<script>alert(11)</script>\": 1\n")
        (broken / "plan.json").write_text("{}")
        (cls.out / "animations").mkdir()
        (cls.out / "animations" / "small.gif").write_bytes(b"GIF89a\x10\x00\x08\x00" + bytes(100))
        (cls.out / "animations" / "<big>.gif").write_bytes(b"GIF89a\x10\x00\x08\x00" + bytes(5 << 20))
        for directory in (cls.out, cls.folder / "all"):
            said = cls.call("report", directory)
            assert said.stdout == f"{directory}/report.html\n", said.stdout
        cls.one, cls.all = ((folder / "report.html").read_text() for folder in (cls.out, cls.folder / "all"))

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder)

    @classmethod
    def call(cls, *arguments, status=0):
        done = subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True, timeout=300)
        assert done.returncode == status, (done.returncode, done.stdout + done.stderr)
        return done

    def test_well_formed_and_alone(self):
        for text in (self.one, self.all):
            page = Page(text)
            self.assertEqual(page.bad, [])
            self.assertEqual(len(page.ids), len(set(page.ids)), "an id stands twice")
            lost = [link for link in page.links if link.startswith("#") and link[1:] not in page.ids]
            self.assertEqual(lost, [], "links that lead nowhere")
            self.assertEqual(len(page.scripts), 1)
            self.assertIn("aria-sort", page.scripts[0])
            self.assertRegex(page.policy, r"^default-src 'none'; img-src data:; .*script-src 'sha256-[\w+/]{43}='$")
            self.assertNotIn("alert", page.scripts[0])
            self.assertNotIn("innerHTML", page.scripts[0])

    def test_every_hostile_title_is_there_as_text(self):
        for text in (self.one, self.all):
            page = Page(text)
            texts = {" ".join(each.split()) for each in page.texts}
            for hostile in HOSTILE:
                self.assertIn(" ".join(hostile.split()), texts)
            # In the middle of a line too: a claim stands behind its verdict, a reason behind our values.
            self.assertTrue(any(each.endswith(HOSTILE[13]) for each in texts))
            self.assertTrue(any(each.endswith(HOSTILE[14]) for each in texts))

    def test_nothing_is_lost(self):
        page = Page(self.one)
        for name in ("claims", "figures", "tables", "notes", "cases", "machine", "animations", "figure:drawn",
                     "table:flat", *(f"table:t{i}" for i in range(len(HOSTILE)))):
            self.assertIn(name, page.ids)
        kinds = [given["class"] for tag, given in page.tags if tag == "li" and given.get("class", "").startswith("claim ")]
        self.assertEqual(kinds, ["claim reproduced", "claim contradicted", "claim not-reproduced", "claim not-tested"])
        rows = [each for each in page.ids if each.startswith("case:")]
        self.assertEqual(len(rows), 6)
        commands = [each for each in page.texts if each.startswith("springbench case ")]
        self.assertEqual(len(commands), 6)
        self.assertEqual(sum(tag == "table" for tag, _ in page.tags), len(HOSTILE) + 2)
        text = " ".join(page.texts)
        for words in ("blows up within a few frames",
                      "springbench run '<i>&'\\''\" #%' --rerun all", "6 cases: ", "compiler",
                      "NOT REPRODUCED", "of another day", "integrator ="):
            self.assertIn(words, text)

    def test_numbers_sort_at_full_precision(self):
        shown = {given["data-v"] for tag, given in Page(self.one).tags
                 if tag == "td" and given.get("class") == "value number" and "data-v" in given}
        with open(self.out / "results.csv") as file:
            stored = {row["blowup_time"] for row in csv.DictReader(file) if row["blowup_time"]}
        self.assertGreater(len(stored), 1)
        self.assertEqual(shown, stored)

    def test_pictures_are_in_the_page_up_to_a_size(self):
        page = Page(self.one)
        drawings = [given for tag, given in page.tags if tag == "svg"]
        self.assertEqual([(given["role"], given["aria-label"]) for given in drawings], [("img", HOSTILE[3])])
        self.assertEqual([given for given in page.images if given["class"] == "figure"], [])
        self.assertTrue(any(re.search(r"(?im)^symplectic euler, 4 substeps: [0-9.e-]+ s$", each) for each in page.texts))
        films = [given for given in page.images if given["class"] == "motion"]
        self.assertEqual([(given["width"], given["height"]) for given in films], [("16", "8")])
        self.assertLess(len(self.one), 4 << 20)
        self.assertIn("too large for this page", self.one)

    def test_a_figure_that_does_more_than_draw_stays_a_picture(self):
        drawn = self.out / "figures" / "drawn.svg"
        text = drawn.read_text()
        self.addCleanup(drawn.write_text, text)
        drawn.write_text(text.replace("</svg>", "<script>alert(12)</script></svg>"))
        self.call("report", self.out)
        page = Page((self.out / "report.html").read_text())
        self.assertEqual(page.bad, [])
        self.assertNotIn("svg", [tag for tag, _ in page.tags])
        figures = [given for given in page.images if given["class"] == "figure"]
        self.assertEqual([(given["src"][:26], given["alt"]) for given in figures],
                         [("data:image/svg+xml;base64,", HOSTILE[3])])

    def test_all_sweeps(self):
        page = Page(self.all)
        text = " ".join(page.texts)
        for words in ("Published findings", "rope-explicit-64", "cannot be read", "<script>alert(11)</script>",
                      "Each sweep"):
            self.assertIn(words, text)
        self.assertEqual(sum(given.get("class") == "sweep" for _, given in page.tags), 2)

    def test_run_leaves_one_and_others_are_refused(self):
        self.assertEqual(Page(self.written).bad, [])
        self.assertIn("table:flat", Page(self.written).ids)
        self.assertIn("no directory", self.call("report", self.folder / "none", status=2).stderr)
        self.call("report", status=2)
        self.assertFalse(list(self.folder.glob("all/*.part")) + list(self.folder.glob("all/.*.part")))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
