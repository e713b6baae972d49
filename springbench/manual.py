# SPDX-License-Identifier: GPL-3.0-or-later
"""Manual pages and bash completion, from what the program says of itself: its help, and `springbench list --json`.
Arguments: the program, the folder whose experiments it lists, the folder to write into (man1, man7, completions)."""
import json
import os
import pathlib
import re
import subprocess
import sys

program, data, out = sys.argv[1], pathlib.Path(sys.argv[2]).resolve(), pathlib.Path(sys.argv[3])
LICENCE = "GPL-3.0-or-later: GNU General Public License, version 3 or later."
ENVIRONMENT = {
    "SPRINGBENCH_DATA": "the folder that has experiments and plots; without it, share/springbench beside the program",
    "SPRINGBENCH_AUTHOR": "the name stored with results; without it, the name of the account",
    "SPRINGBENCH_INPUTS": "the folder of meshes and tables that cases name; without it, where the sweep was run",
    "SPRINGBENCH_PLUGINS": "plug-ins to load, as --plugin does",
    "SPRINGBENCH_SIMULATORS": "descriptions of simulators to load, as --simulator does",
    "SPRINGBENCH_JOB": "the name of the job that results carry; without it, that of the scheduler",
    "OPENBLAS_CORETYPE": "the kernels of OpenBLAS, for equal bits on different processors",
}


def say(*arguments):
    """What the program says of itself, without the plug-ins and simulators of who builds it."""
    own = {name: value for name, value in os.environ.items() if name not in ("SPRINGBENCH_PLUGINS", "SPRINGBENCH_SIMULATORS")}
    environment = {**own, "ARGP_HELP_FMT": "rmargin=10000", "SPRINGBENCH_DATA": str(data), "LC_ALL": "C.UTF-8"}
    return subprocess.run([program, *arguments], check=True, text=True, capture_output=True, env=environment).stdout


version = say("--version").split()[1]
lists = json.loads(say("list", "--json"))
overview = say("--help").split("\n\n")
# A line of the overview is usage and summary; where the usage is long, one blank is between them.
summaries = {name: rest.rsplit("  ", 1)[1].strip() if "  " in rest else say(name, "--help").splitlines()[1]
             for name, rest in re.findall(r"^  (\w+) +(.*)$", overview[1], re.M)}

# Flags of every command: a line of their own in the overview.
everywhere = re.findall(r"^  --([\w-]+) (\S+) (.*?)(?: \([^()]*\))?\.$", say("--help"), re.M)


class Command:
    """What `springbench NAME --help` prints: usages, a summary, options (short, long, argument, text), paragraphs."""

    def __init__(self, name):
        blocks = say(name, "--help").strip().split("\n\n")
        head, options = blocks[0].splitlines(), blocks[1].splitlines()
        self.name, self.summary, self.options = name, summaries[name].split(" (")[0], []
        usages = [line for line in head if re.match("Usage: |  or: ", line)]
        self.usage = [line.split(f"springbench {name}", 1)[1].strip() for line in usages]
        told = [line for line in head[len(usages):] if line not in (summaries[name], f"{self.summary}.")]
        self.paragraphs = told + [text for text in blocks[2:] if not text.startswith("Mandatory or optional")]
        for line in options:
            found = re.match(r"  (?:-(.), |    )--([\w-]+)(?:=(\S+))?(?: +(.*))?$", line)
            if found:
                self.options.append([text or "" for text in found.groups()])
            else:
                self.options[-1][3] += line.strip()


commands = [Command(name) for name in summaries]


def escaped(text):
    for sign, roff in {"\\": "\\e", "-": "\\-", "'": "\\(aq", "^": "\\(ha", "~": "\\(ti", "…": "..."}.items():
        text = text.replace(sign, roff)
    text = re.sub(r"`([^`]*)`", r"\\fB\1\\fR", text).replace("`", "\\(ga")
    text = "".join(c if ord(c) < 128 else f"\\[u{ord(c):04X}]" for c in text)
    return re.sub(r"^\.", r"\\&.", text, flags=re.M)


def sentence(words):
    return f"{words[0].upper()}{words[1:]}."


def page(name, section, summary, parts):
    """`parts`: pairs of a heading and lines of roff."""
    # The string AD is for groff 1.23, whose paragraphs forget `.ad l`.
    lines = [".ds AD l", f'.TH {name.upper()} {section} "" "springbench {version}" "springbench"', ".nh", ".ad l",
             ".SH NAME", f"{escaped(name)} \\- {escaped(summary)}"]
    for heading, body in parts:
        lines += [f".SH {heading.upper()}", *body]
    folder = out / f"man{section}"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.{section}").write_text("\n".join(lines) + "\n")


def entry(term, *texts):
    yield from (".TP", term)
    for at, text in enumerate(texts):
        yield from ([".br"] if at else [])
        yield escaped(text)


def entries(pairs):
    return [line for term, text in pairs for line in entry(f"\\fB{escaped(term)}\\fR", text)]


def text(paragraphs):
    """Paragraphs in roff; a line of the help stays a line."""
    for at, paragraph in enumerate(paragraphs):
        yield from ([".PP"] if at else [])
        yield escaped(paragraph).replace("\n", "\n.br\n")


def see_also(*names):
    return "SEE ALSO", [", ".join(f"\\fB{escaped(name)}\\fR({section})" for name, section in names)]


def option_line(short, long, argument, words):
    value = f"=\\fI{escaped(argument)}\\fR" if argument else ""
    before = f"\\fB\\-{short}\\fR, " if short else ""
    return entry(f"{before}\\fB\\-\\-{escaped(long)}\\fR{value}", words)


def write_command_pages():
    for command in commands:
        synopsis = [line for at, usage in enumerate(command.usage)
                    for line in ([".br"] if at else []) + [f"\\fBspringbench {command.name}\\fR {escaped(usage)}"]]
        options = [line for option in command.options for line in option_line(*option)]
        options[:0] = ["An argument of a long option is also one of its short form."]
        page(f"springbench-{command.name}", 1, command.summary,
             [("SYNOPSIS", synopsis), ("DESCRIPTION", list(text(command.paragraphs or [sentence(command.summary)]))),
              ("OPTIONS", options),
              see_also(("springbench", 1), ("springbench-options", 7), ("springbench-methods", 7))])


def write_program_page():
    statuses = re.findall(r"(?<![\w.])(\d+): (.*?)\.(?= \d+:|\s*$)", " ".join(overview[-1].split()))
    page("springbench", 1, overview[0].split(": ", 1)[1].strip(), [
        ("SYNOPSIS", ["\\fBspringbench\\fR \\fICOMMAND\\fR [\\fIOPTION\\fR...] [\\fIARGUMENT\\fR...]"]),
        ("DESCRIPTION", list(text([
            "springbench measures solvers of mass-spring systems: time integrators, minimisers and linear solvers.",
            "A case is a scene with options (`springbench case scene=cloth`). A sweep is a file of many cases with "
            "tables, figures and claims (`springbench run rope_blowup`). Its results go to a directory that the other "
            "commands read."]))),
        ("COMMANDS", entries((name, sentence(summary)) for name, summary in summaries.items())),
        ("OPTIONS", [line for name, argument, words in everywhere for line in option_line("", name, argument, words)]),
        ("EXIT STATUS", entries((status, sentence(words)) for status, words in statuses)),
        ("ENVIRONMENT", entries(ENVIRONMENT.items())),
        ("COPYRIGHT", [LICENCE]),
        see_also(*((f"springbench-{name}", 1) for name in summaries), ("springbench-options", 7),
                 ("springbench-methods", 7))])
    for name, main in (("springbench-cases", "springbench"), ("springbench-live-cases", "springbench-live")):
        (out / f"man1/{name}.1").write_text(f".so man1/{main}.1\n")  # the programs that run cases


def write_options_page():
    parts = [("DESCRIPTION", list(text([
        "Options of a case are given as KEY=VALUE to `springbench case` and as keys of a sweep file. The defaults of "
        "a scene replace those below; `springbench list scenes NAME` shows them.",
        "A number may have its unit or a multiple of it behind it: `h=1ms`, `stiffness=10N/m`."])))]
    for section in dict.fromkeys(option["section"] for option in lists["options"]):
        body = []
        for option in lists["options"]:
            if option["section"] == section:
                facts = [option["type"], option["unit"], option["default"] and f"default {option['default']}",
                         option["allowed"] and f"allowed: {option['allowed']}"]
                body += entry(f"\\fB{escaped(option['name'])}\\fR=\\fI{escaped(option['type'].split(':')[0])}\\fR",
                              f"{option['summary']} [{', '.join(filter(None, facts))}]")
        parts.append((section, body))
    parts.append(see_also(("springbench-case", 1), ("springbench-methods", 7)))
    page("springbench-options", 7, "options of a case", parts)


def write_methods_page():
    titles = {topic: escaped(say("list", topic, "--markdown").splitlines()[0].lstrip("# ")) for topic in lists}
    parts = [("DESCRIPTION", list(text([
        "Each section is one list of the program. `springbench list TOPIC NAME` shows more of an entry."])))]
    for topic, found in lists.items():
        if topic != "options":
            body = [f"springbench list {topic}"]
            parts.append((titles[topic], body + entries((item["name"], item["summary"]) for item in found)))
    page("springbench-methods", 7, "scenes, forces, integrators, minimisers, solvers and sweeps",
         [*parts, see_also(("springbench-list", 1), ("springbench-options", 7))])


def choices(option):
    """The words that an option takes, if they are listed: of a list of the program, in the table, or true and false."""
    topic = re.fullmatch(r"springbench list (\w+)", option["allowed"])
    if option["type"] == "true or false":
        return ["true", "false"]
    words = [item["name"] for item in lists[topic[1]]] if topic else option["allowed"].split(", ")
    words = [word.partition(":")[0] + ":" if word.endswith(":N") else word for word in words]
    words = words if re.fullmatch("name|name or list|kind:.*", option["type"]) else []
    return words + [option["default"]] * (bool(words) and option["default"] not in ["", *words])


def words_of_flag(argument, words):
    """The words that a flag takes: `--term=svg|pdf`, or a text that is only a list of words."""
    found = re.fullmatch(r"[a-z]+(\|[a-z]+)+", argument) and argument.split("|")
    listed = re.search(r"(?:^|: )((?:[a-z]+(?::K)?(?: \([^)]*\))?,? (?:or )?)+[a-z]+(?::K)?)(?: \([^)]*\))?$", words)
    if not found and listed and "," in listed[1] + words:
        found = [word.replace(":K", ":") for word in re.split(r",? or |, ", re.sub(r" \([^)]*\)", "", listed[1]))]
    return found if found and all(re.fullmatch("[a-z]+:?", word) for word in found) else []


def case_of(function, branches):
    """A bash function that prints the words of a branch, one a line."""
    lines = [f"{function}() {{", "  case $1 in"]
    for pattern, words in branches:
        if words:
            lines.append(f"  {pattern}) printf '%s\\n' {' '.join(words)} ;;")
    return "\n".join([*lines, "  esac", "}"])


def write_completion():
    topics = sorted(path.name for path in (data / "experiments").iterdir() if path.is_dir())
    sweeps = [item["name"] for item in lists["sweeps"]]
    flags, values, kinds = [], [], []
    for command in commands:
        usage = command.usage[0]
        flags.append((command.name, [f"--{long}{'=' * bool(argument)}" for _, long, argument, _ in command.options]))
        kinds.append((command.name, ["pairs"] if "KEY=VALUE" in usage else ["sweeps"] if "|NAME" in usage
                      else ["topics"] if "TOPIC" in usage else []))
        for short, long, argument, told in command.options:
            names = f"{command.name}--{long}" + f"|{command.name}-{short}" * bool(short)
            own = words_of_flag(argument, told)
            values.append((names, own))
            if argument:
                kinds.append((names, ["pairs" if argument.startswith("KEY=") else "values" if own else "files"]))
    shared = [f"--{name}=" for name, _, _ in everywhere]
    parts = [case_of("_springbench_flags", [(name, words + shared) for name, words in flags]),
             case_of("_springbench_values", values), case_of("_springbench_kind", kinds),
             case_of("_springbench_choices", [(option["name"], choices(option)) for option in lists["options"]]),
             case_of("_springbench_list", [("commands", [*summaries, *shared, "--help", "--version"]),
                                           ("pairs", [f"{option['name']}=" for option in lists["options"]]),
                                           ("sweeps", ["all", "core", "tour", *topics, *sweeps]), ("topics", list(lists)),
                                           *((topic, [item["name"] for item in found]) for topic, found in lists.items()
                                             if topic != "sweeps")])]
    frame = (pathlib.Path(__file__).parent / "completion.bash").read_text()
    folder = out / "completions"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "springbench").write_text(frame.replace("@WORDS@", "\n\n".join(parts)))


write_program_page()
write_command_pages()
write_options_page()
write_methods_page()
write_completion()
