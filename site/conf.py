# SPDX-License-Identifier: GPL-3.0-or-later
"""The documentation as a site, by Sphinx with the folder of the project as source: its pages as they are, and the API
from the public headers by doxygen. Needs no network, neither when it is made nor when it is read."""
import os
import pathlib
import re
import shutil
import subprocess
import sys

from pygments.lexers.special import TextLexer

root = pathlib.Path(__file__).resolve().parents[1]
made = pathlib.Path(os.environ.get("SB_SITE_MADE", root / "build/site"))  # what doxygen makes
report = pathlib.Path(os.environ.get("SB_SITE_RESULTS") or root / "results") / "report.html"
project, author = "springbench", "The springbench authors"
release = re.search(r"springbench VERSION (\S+)", (root / "CMakeLists.txt").read_text())[1]
extensions = ["myst_parser", "breathe", "sphinx.ext.graphviz"]
root_doc = "README"
source_suffix = {".md": "markdown"}
include_patterns = ["*.md", "docs/**", "examples/*", "results/README.md", "site/api.md"]
exclude_patterns = ["build", "obj-*", "debian", "tests"]
myst_heading_anchors = 6
suppress_warnings = ["myst.header"]  # pages of docs/reference go from # to ###
html_theme, html_title = "furo", f"springbench {release}"
html_additional_pages = {"index": "start.html"}
headers = [path for path in (root / "library/springbench.h", root / "base/springbench_plugin.h") if path.exists()]
templates_path = ["."]
html_copy_source = False
graphviz_output_format = "svg"
breathe_projects, breathe_default_project = {"springbench": str(made / "xml")}, "springbench"
breathe_domain_by_extension = {"h": "c"}

SECTIONS = {
    "Start": ["docs/why", "docs/tutorial", "docs/live", "docs/model", "docs/command_line", "docs/sweep_file",
              "docs/expressions", "docs/results_directory", "results/README", "docs/cluster", "docs/library",
              "docs/plugins", "examples/README"],
    "Findings": ["docs/findings/README", "docs/findings", "docs/performance"],
    "Reference": ["docs/reference/options", "docs/reference/*", "docs/messages", "docs/outcomes", "docs/limits", "docs/glossary", "site/api",
                  "docs/bibliography"],
    "Evidence": ["docs/verification", "docs/robustness", "docs/robustness/*", "docs/scale", "SECURITY"],
    "Project": ["CHANGELOG", "CONTRIBUTING", "CODE_OF_CONDUCT", "docs/architecture", "docs/decisions/*", "docs/toolchain", "docs/releasing",
                "docs/README"],
}


def toctree(pages, caption=""):
    """A page of its own for each of `pages`, in the side bar."""
    named = [f":caption: {caption}"] if caption else []
    return "\n".join(["", "```{toctree}", ":hidden:", ":glob:", *named, "", *(f"/{page}" for page in pages), "```", ""])


def graph(found):
    """A flowchart of Mermaid as one of Graphviz."""
    lines, boxes = ["digraph {", "  node [shape=box fontname=Helvetica fontsize=10]"], 0
    for line in found[1].splitlines()[1:]:
        if line.strip().startswith("subgraph"):
            boxes += 1
            lines.append(f'subgraph cluster_{boxes} {{ label="{line.split()[1]}" fontname=Helvetica fontsize=10')
        elif line.strip() == "end":
            lines.append("}")
        else:
            lines.append(re.sub(r"(\w+)\[(.*)\]", r'\1 [label="\2"]', line.replace("-->", "->")))
    return "\n".join(["```{graphviz}", *lines, "}", "```"])


def adapt(app, name, source):
    """What GitHub shows and Sphinx does not: pictures in HTML, flowcharts. And the pages get their places."""
    text = re.sub(r'<p align="center"><img src="([^"]+)"[^>]*alt="([^"]*)"></p>', r"![\2](\1)", source[0])
    text = re.sub(r"^```mermaid\n(.*?)^```$", graph, text, flags=re.M | re.S)
    if report.exists() and name in (root_doc, "docs/findings"):
        place = "../" * name.count("/") + "report/report.html"
        text += f'\n\n<p><a href="{place}">Results here, with figures and films</a></p>\n'
    if name == root_doc:
        text += "".join(toctree(pages, caption) for caption, pages in SECTIONS.items())
    if name == "site/api":
        text += "".join(f"\n## {header.name}\n\n```{{eval-rst}}\n.. doxygenfile:: {header.name}\n```\n"
                        for header in headers)
    if name == "docs/findings/README":
        text += toctree(sorted(f"docs/findings/{page.stem}" for page in root.glob("docs/findings/*.md")
                               if page.stem != "README"))
    source[0] = text


def as_comments_of_doxygen(text):
    """The comments of the header are plain ones: before what they describe, or behind it on its line."""
    text = re.sub(r"(?m)^(.*\S +)/\* ", r"\1/**< ", text)
    text = re.sub(r"(?m)^( *)/\* ", r"\1/** ", text)
    return re.sub(r"\A(/\*\* SPDX.*\n)?/\*\* ", "/** @file\n * ", text)


def make_api():
    (made / "headers").mkdir(parents=True, exist_ok=True)
    for header in headers:
        (made / "headers" / header.name).write_text(as_comments_of_doxygen(header.read_text()))
    settings = {"PROJECT_NAME": project, "INPUT": made / "headers", "OUTPUT_DIRECTORY": made, "GENERATE_XML": "YES",
                "GENERATE_HTML": "NO", "GENERATE_LATEX": "NO", "OPTIMIZE_OUTPUT_FOR_C": "YES", "EXTRACT_ALL": "YES",
                "QUIET": "YES", "WARN_IF_UNDOCUMENTED": "NO", "WARN_AS_ERROR": "YES"}
    lines = "".join(f"{name} = {value}\n" for name, value in settings.items())
    subprocess.run(["doxygen", "-"], input=lines, text=True, check=True, stdout=sys.stderr)


def add_report(app, problem):
    """The report of the results of this clone, with figures, films and players, but without the case files."""
    added = pathlib.Path(app.outdir) / "report"
    shutil.rmtree(added, ignore_errors=True)
    if report.exists() and not problem:
        left_out = shutil.ignore_patterns("cases", "logs", "tmp", "*.jsonl", "plan.json", "lock")
        shutil.copytree(report.parent, added, ignore=left_out)
        for page in added.glob("**/report.html"):  # its links to pages of docs/, which are pages of the site here
            page.write_text(re.sub(r'(href="(?:\.\./)+docs/[^"#]*)\.md', r"\1.html", page.read_text()))


def setup(app):
    make_api()
    app.connect("build-finished", add_report)
    app.connect("source-read", adapt)
    app.add_lexer("bibtex", TextLexer)
