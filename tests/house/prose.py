# SPDX-License-Identifier: GPL-3.0-or-later
"""English in sources and pages: comments, texts for users, sentences, and the faults of a sentence."""
import ast
import io
import re
import tokenize

TOKEN = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.S)
OPENER = re.compile(r"[('\"*]*([Ww]hat|Of|[Ww]here|[Ww]ho)\b")  # `of …` after a member is an attribute of it
LONGEST = 40


def comments(text):
    """The comments of a C file, as (line, text)."""
    for token in TOKEN.finditer(text):
        if token[0].startswith("/"):
            lines = token[0].removesuffix("*/").lstrip("/*< ").split("\n")
            lines[1:] = [re.sub(r"^\s*\* ?|^\s+", "", line, count=1) for line in lines[1:]]
            yield text.count("\n", 0, token.start()) + 1, "\n".join(lines)


def strings(text):
    """Texts of four words or more in a C file, as (line, text). Adjacent literals are one."""
    start, end, parts = 0, -1, []
    for token in [*TOKEN.finditer(text), None]:
        if token and token[0].startswith('"') and parts and re.fullmatch(r"(\s|\bPRI\w+|\\)*", text[end:token.start()]):
            parts.append(token[0][1:-1])
        else:
            body = "".join(parts).replace('\\"', '"').replace("\\n", "\n").replace("\\v", "\n\n")
            if len(re.findall(r"(?<![-\w.<%\\])[A-Za-z]+(?![\w=])", body)) >= 4:
                yield start, body
            parts = [token[0][1:-1]] if token and token[0].startswith('"') else []
            start = text.count("\n", 0, token.start()) + 1 if token else 0
        end = token.end() if token else -1


def python_comments(text):
    """The comments and docstrings of a Python file, as (line, text). Comments on adjacent lines are one."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)) and ast.get_docstring(node):
            yield node.body[0].lineno, ast.get_docstring(node)
    start, column, parts = 0, 0, []
    for token in [*tokenize.generate_tokens(io.StringIO(text).readline), None]:
        if token and token.type != tokenize.COMMENT:
            continue
        place = token and token.start
        if parts and place != (start + len(parts), column):
            yield start, "\n".join(parts)
            parts = []
        if token:
            start, column = place if not parts else (start, column)
            parts.append(token.string.removeprefix("#").strip())


def paragraphs(page):
    """The paragraphs and entries of lists of a Markdown page, as (line, text); no code, headings, tables or HTML."""
    number, lines, fenced = 1, [], False
    for i, line in enumerate([*page.split("\n"), ""], 1):
        fenced ^= line.lstrip().startswith("```")
        if fenced or not line.strip() or re.match(r"\s*(```|#|\||<|!\[|[-*] |\d+\. )", line):
            if lines:
                yield number, "\n".join(lines)
            lines = [re.sub(r"\s*([-*]|\d+\.) ", "", line, count=1)] if re.match(r"\s*([-*]|\d+\.) ", line) else []
            number = i
        else:
            number = number if lines else i
            lines.append(line.strip())


def sentences(body):
    """Sentences end with a full stop, a paragraph or an entry of a list. Indented lines (formulas, code) are none."""
    body = re.sub(r"\n {3,}.*", "\n", body)
    for part in re.split(r"\n\s*\n|\n\s*[-*|#] |(?<=[.?!])\s+(?=[^a-z\s]|\w+:)", body):
        yield " ".join(part.split())


def faults(body):
    """The faults of a text: "clause", a relative clause that opens it; "long", a sentence of more than 40 words."""
    for sentence in sentences(body):
        if OPENER.match(sentence) and not sentence.endswith("?"):
            yield "clause", sentence
        if len(re.findall(r"\S*\w\S*", sentence)) > LONGEST:
            yield "long", sentence
