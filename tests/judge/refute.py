#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""For each claim a change of its results that refutes it: a claim that no change refutes states nothing.

    refute.py --list                         refutations.txt has the claims of the shipped sweeps, and no others
    refute.py PROGRAM RESULTS                applies its changes to results of `run --quick all`: each refutes its claim
    refute.py PROGRAM --quick                the same on the quick parts of a few sweeps
    refute.py PROGRAM RESULTS --renew        searches the mildest change for each claim, and writes refutations.txt;
                                             lines of sweeps that have no results here stay
    refute.py PROGRAM --made-up FOLDER [--renew]  the claims that quick results do not test are false on what
                                             write_made_up wrote there, or after a change of it, where the list says so

The second judge (judge.py) judges a claim on the cases that are here, as if the sweep had no others, no time were noisy
and each device were a GPU. The claim holds before the change, and is false after it. Times differ from machine to
machine: a claim on times that does not hold here is left out, and another change of the search may refute it in place
of the stored one. A line that begins with `by hand:` stays when the file is renewed."""
import argparse
import collections
import contextlib
import glob
import itertools
import json
import math
import os
import re
import subprocess
import sys
import tempfile

import yaml

import agree
import judge
import planned

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
STORED = os.path.join(ROOT, 'tests', 'judge', 'refutations.txt')
UNTESTED, BY_HAND, MADE_UP = 'untested:', 'by hand: ', '; made-up results refute it'
REFUTED = {'reproduced': 'not reproduced', 'contradicted': 'no longer contradicted'}
HEAD = '''# The claims of each shipped sweep. Above a claim: the mildest change of its quick results that refutes it, or
# why these do not test it. Written by refute.py --renew, which keeps lines `by hand:`.
# `row` is all columns of a case. `x from B of axis where axis=A`: the cases of level A get x of those of level B.'''


# ------------------------------------------------------------------------------------------------- results as judged
class Quick:
    """The cases of a sweep that have a result, as if the sweep had no others, and its axes."""
    def __init__(self, sweep, folder):
        self.sweep = sweep
        self.results = judge.Results(sweep, folder, os.path.join(ROOT, 'results', 'published'))
        self.lost = any(not r.status or r.status in judge.FAILURES for r in self.results.shown)
        self.rows = self.results.rows = [r for r in self.results.rows if r.status and r.status not in judge.FAILURES]
        self.results.repetitions = 0
        for row in self.rows:
            row.event = {}
            if 'noisy' in row.cells:
                row.cells['noisy'] = ''
            if row.lacks_gpu:
                row.cells['device_gpu'] = '1'
        parts = [block.get(kind) or {} for block in self.sweep.file['sweep'] for kind in ('defaults', 'grid', 'zip')]
        self.levels = {}
        for axis in sorted({name for part in parts for name in part}):
            found = {judge.shown(level(r, axis)): level(r, axis) for r in self.rows}
            if len(found) > 1:
                size = lambda t, found=found: found[t].low if isinstance(found[t], judge.Number) else -math.inf
                self.levels[axis] = sorted(found, key=size)

    def verdict(self, claim):
        return judge.verdict(self.results, claim)

    def on_times(self, claim):
        return claim.get('kind') == 'time' or judge.evaluate(self.results, claim, self.rows)[1].reads_times

    def lack(self, claim):
        """Why the cases that are here do not test a claim."""
        try:
            e = judge.evaluate(self.results, claim, self.rows)[1]
        except judge.Undefined:
            return ' it compares with a case that has no quick result here'
        if not e.rows:
            return ' none of its cases has a quick result here'
        return ' it is false or undecided of the quick part alone'

    def columns_of(self, claim):
        """The columns that a claim reads, those of its test first."""
        names = [n for text in (claim['test'], claim.get('where')) if text for n in judge.names_in(judge.parsed(text))]
        known = [n for n in names if n in self.sweep.columns or n in judge.INDEX]
        return list(dict.fromkeys(known)) + ['row']

    def partners(self, axis, a, b):
        """Pairs of cases that differ in this axis, and in what follows from it."""
        following = [o for o in self.levels if o != axis and self.follows(o, axis)]
        others = [o for o in self.levels if o != axis and o not in following]
        place = lambda r: tuple(judge.shown(level(r, o)) for o in others)
        there = {place(r): r for r in self.rows if judge.shown(level(r, axis)) == b}
        return [(r, there[place(r)]) for r in self.rows if judge.shown(level(r, axis)) == a and place(r) in there]

    def follows(self, other, axis):
        found = {}
        for r in self.rows:
            found.setdefault(judge.shown(level(r, axis)), set()).add(judge.shown(level(r, other)))
        return all(len(values) == 1 for values in found.values())

    @contextlib.contextmanager
    def changed(self, change):
        """Applies a change, and takes it back."""
        before = [(r, r.key, r.cells, r.status) for r in self.rows]
        try:
            for r in self.rows:
                r.cells = dict(r.cells)
            apply(self, change)
            for r in self.rows:
                r.status = r.cells['status']
            yield
        finally:
            for r, key, cells, status in before:
                r.key, r.cells, r.status = key, cells, status


def level(row, axis):
    return row.options.get(axis, judge.BLANK)


# ---------------------------------------------------------------------------------------------------------- changes
def numbers_changed(column, rows, function):
    for r in rows:
        value = r.cell(column)
        if isinstance(value, judge.Number):
            r.cells[column] = repr(function(value.low))
        elif isinstance(value, bool) and function(1) == -1:
            r.cells[column] = 'false' if value else 'true'


def taken(column, pairs):
    """Each first of a pair gets the value of the second, as it was."""
    for r, cells, key in [(a, b.cells[column] if column != 'row' else dict(b.cells), b.key) for a, b in pairs]:
        if column == 'row':
            r.cells, r.key = cells, key
        else:
            r.cells[column] = cells


CHANGE = re.compile(r'(?P<column>\w+) (?:'
                    r'(?P<sign>[*/]) (?P<factor>[\d.]+)|(?P<minus>negated)|(?P<shift>\+ (?:its largest|1))|'
                    r'(?P<constant>= its median)|= (?P<word>diverged|ok)|'
                    r'(?P<swap>swaps) (?P<a>\S+) and (?P<b>\S+) of (?P<axis>\w+)|'
                    r'(?P<from>from) (?P<c>\S+) of (?P<axis2>\w+)|'
                    r'(?P<reverse>reversed) along (?P<axis3>\w+))(?: where (?P<only>\w+)=(?P<level>\S+))?$')


def apply(quick, change):
    m = CHANGE.match(change)
    if not m:
        raise ValueError('no change: %s' % change)
    column, rows = m['column'], quick.rows
    if m['only']:
        rows = [r for r in rows if judge.shown(level(r, m['only'])) == m['level']]
    if m['sign']:
        factor = float(m['factor']) if m['sign'] == '*' else 1 / float(m['factor'])
        numbers_changed(column, rows, lambda x: x * factor)
    elif m['minus']:
        numbers_changed(column, rows, lambda x: -x)
    elif m['shift'] or m['constant']:
        known = sorted(v.low for v in (r.cell(column) for r in rows) if isinstance(v, judge.Number)) or [0.0]
        at = known[len(known) // 2] if m['constant'] else 1.0 if m['shift'] == '+ 1' else max(map(abs, known))
        numbers_changed(column, rows, lambda x: x + at if m['shift'] else at)
    elif m['word']:
        for r in rows:
            r.cells[column] = m['word']
    elif m['swap']:
        pairs = quick.partners(m['axis'], m['a'], m['b'])
        taken(column, pairs + [(b, a) for a, b in pairs])
    elif m['from']:
        taken(column, quick.partners(m['axis2'], m['level'], m['c']))
    else:
        levels = quick.levels[m['axis3']]
        taken(column, [p for a, b in zip(levels, reversed(levels)) if a != b for p in quick.partners(m['axis3'], a, b)])


def parts_of(quick):
    """Conditions that leave a part of the cases: one level of an axis."""
    return [' where %s=%s' % (axis, v) for axis, levels in quick.levels.items() for v in levels if v and ' ' not in v]


def of_levels(text):
    """Changes between levels of an axis: neighbours, then levels farther apart (of long axes only the ends)."""
    def write(quick, column):
        for axis, levels in quick.levels.items():
            places = {v: i for i, v in enumerate(levels) if v and ' ' not in v}
            apart = lambda p: abs(places[p[0]] - places[p[1]])
            pairs = sorted((p for p in itertools.permutations(places, 2) if apart(p) == 1 or apart(p) == len(levels) - 1
                            or len(levels) <= 6), key=apart)
            for a, b in pairs:
                if 'swaps' not in text or places[a] < places[b]:
                    yield column + ' ' + text.format(a=a, b=b, axis=axis)
    return write


def scaled(*texts):
    def write(quick, column):
        for where in [''] + parts_of(quick) if column != 'row' else []:
            for text in texts:
                yield '%s %s%s' % (column, text, where)
    return write


# Kinds of change in the order of the search, mildest first: name, how a line of the list shows it, and the changes to
# try on a column.
KINDS = [
    ('a factor of 1.5', r'[*/] 1\.5', scaled('* 1.5', '/ 1.5')),
    ('values of another level', r' from ', of_levels('from {b} of {axis} where {axis}={a}')),
    ('two levels swapped', r' swaps ', of_levels('swaps {a} and {b} of {axis}')),
    ('order reversed along an axis', r' reversed ',
     lambda quick, column: ('%s reversed along %s' % (column, axis) for axis in quick.levels)),
    ('constant', r'= its median', scaled('= its median')),
    ('a factor of 10', r'[*/] 10\b', scaled('* 10', '/ 10')),
    ('a factor of 1000', r'[*/] 1000\b', scaled('* 1000', '/ 1000')),
    ('a shift', r'\+ (its|1)', scaled('+ its largest', '+ 1')),
    ('the other sign', r' negated', scaled('negated')),
    ('another status', r'= (diverged|ok)', lambda quick, column: scaled('= diverged', '= ok')(quick, column)
     if column == 'status' else ())]


def refutes(quick, claim, change, holds):
    with quick.changed(change):
        try:
            return quick.verdict(claim) == REFUTED[holds]
        except (ValueError, TypeError):  # the change makes words of numbers
            return False


def mildest(quick, claim, holds):
    """Returns the first change that refutes a claim."""
    for (_, _, write), column in itertools.product(KINDS, quick.columns_of(claim)):
        for change in write(quick, column):
            if refutes(quick, claim, change, holds):
                return change
    return UNTESTED + ' no change of the quick part refutes it'


# ------------------------------------------------------------------------------------------------------ the list
def shipped():
    """The sweep files by name, and the claims of each."""
    for file in sorted(glob.glob(os.path.join(ROOT, 'experiments', '*', '*.yaml'))):
        with open(file, encoding='utf-8') as f:
            yield os.path.basename(file)[:-len('.yaml')], file, yaml.load(f, Loader=yaml.CBaseLoader).get('expect', [])


def stored():
    """The change, or the reason, above each claim of refutations.txt: by sweep and sentence."""
    found, sweep, change = {}, None, None
    with open(STORED, encoding='utf-8') as f:
        for line in f.read().splitlines():
            if line.startswith('['):
                sweep = line[1:-1]
            elif line.startswith('    '):
                found[sweep, line[4:]] = change
            elif not line.startswith('#'):
                change = line
    return found


def check_list():
    """Each claim of a shipped sweep has its line."""
    known, claims = stored(), [(name, c['claim']) for name, _, each in shipped() for c in each]
    wrong = ['%s: no line: %s' % c for c in claims if c not in known]
    wrong += ['%s: no claim: %s' % c for c in known if c not in set(claims)]
    wrong += ['%s: no change: %s' % (name, text) for (name, _), text in known.items()
              if not text.startswith(UNTESTED) and not change_of(text)]
    wrong += ['refute.py PROGRAM RESULTS --renew finds their changes'] * bool(wrong)
    print('\n'.join(wrong + ['%d claims, %d with a change' % (len(claims), sum(
        not text.startswith(UNTESTED) for text in known.values()))]))
    return not wrong


def kind_of(line):
    if line.startswith(UNTESTED):
        return 'untested' + MADE_UP * line.endswith(MADE_UP)
    return next(name for name, shown, _ in KINDS if re.search(shown, line))


def change_of(text):
    text = text[len(BY_HAND):] if text.startswith(BY_HAND) else text
    return text if CHANGE.match(text) else None


def here(program, folder):
    """The sweeps that have results in a folder, with their claims."""
    lists = planned.Lists(program)
    for name, file, claims in shipped():
        place = os.path.join(folder, name)
        quick = None
        if claims and os.path.exists(os.path.join(place, 'results.csv')):
            plan = subprocess.run([program, 'plan', file, '--format', 'json', '-o', '/nonexistent/folder'], check=True,
                                  stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout
            quick = Quick(planned.Sweep(file, lists, json.loads(plan)), place)
        yield name, quick, claims


def renewed(quick, claim, before):
    """The line above a claim: the mildest change, or why the results do not test it. `before`: the line until now."""
    if before and (not quick or before.startswith(BY_HAND)):
        return before
    holds = quick.verdict(claim) if quick else None
    if holds not in REFUTED:
        why = quick.lack(claim) if quick else ' the sweep has no quick results here'
        return UNTESTED + why + (MADE_UP if (before or '').endswith(MADE_UP) else '')
    return mildest(quick, claim, holds)


def renew(program, folder):
    known = stored()
    return write((name, [(renewed(quick, claim, known.get((name, claim['claim']))), claim) for claim in claims])
                 for name, quick, claims in here(program, folder))


def write(sweeps):
    """Writes the list: of each sweep its name, and its claims with the line above each."""
    lines, kinds = [], collections.Counter()
    for name, claims in sweeps:
        lines += ['[%s]' % name] * bool(claims)
        for line, claim in claims:
            lines += [line, '    ' + claim['claim']]
            kinds[kind_of(line)] += 1
    names = [*(name for name, _, _ in KINDS), 'untested' + MADE_UP, 'untested']
    counts = ['# %d claims: %s' % (kinds[name], name) for name in names]
    with open(STORED, 'w', encoding='utf-8') as f:
        f.write('\n'.join([HEAD, *counts, *lines]) + '\n')
    return True


def apply_all(program, folder):
    """Applies each change to the results that are here. Returns whether each of them refutes its claim."""
    known, wrong, counts = stored(), [], dict.fromkeys(('refuted', 'on times and false here', 'not here'), 0)
    for name, quick, claims in here(program, folder):
        for claim in claims:
            change = change_of(known.get((name, claim['claim']), ''))
            holds = quick.verdict(claim) if quick else None
            if not change:
                continue
            if not quick or quick.lost and holds == 'not tested':
                counts['not here'] += 1
            elif holds in REFUTED and (refutes(quick, claim, change, holds)
                                       or quick.on_times(claim) and change_of(mildest(quick, claim, holds))):
                counts['refuted'] += 1
            elif holds not in REFUTED and quick.on_times(claim):
                counts['on times and false here'] += 1
            else:
                wrong.append('%s: "%s" is %s, and not refuted by: %s' % (name, claim['claim'], holds, change))
    print('\n'.join(wrong + ['claims: ' + ', '.join('%d %s' % (n, what) for what, n in counts.items())]))
    return not wrong and counts['refuted'] > 0


def made_up_refutes(quick, claim):
    found = quick.verdict(claim)
    return found in REFUTED.values() or found in REFUTED and bool(change_of(mildest(quick, claim, found)))


def made_up(program, folder, renewing):
    """The claims that quick results do not test, on made-up results. Returns whether the list is right about them."""
    known, lists, wrong, sweeps, refuted = stored(), planned.Lists(program), [], [], 0
    for name, file, claims in shipped():
        place, lines = os.path.join(folder, name, 'whole'), []
        with open(os.path.join(place, 'plan.json'), encoding='utf-8') as f:
            quick = Quick(planned.Sweep(file, lists, json.load(f)), place)
        for claim in claims:
            line = known[name, claim['claim']]
            if line.startswith(UNTESTED):
                found = made_up_refutes(quick, claim)
                refuted += found
                if found != line.endswith(MADE_UP):
                    wrong.append('%s: made-up results %s: %s' % (name, 'refute' if found else 'leave', claim['claim']))
                    line = line.removesuffix(MADE_UP) + MADE_UP * found
            lines.append((line, claim))
        sweeps.append((name, lines))
    if renewing:
        return write(sweeps)
    print('\n'.join(wrong + ['%d untested claims are false on made-up results' % refuted]))
    return not wrong and refuted > 0


def main():
    asked = argparse.ArgumentParser(description='Refutes each claim by a change of its results. Status 1: one is not.')
    asked.add_argument('program', nargs='?')
    asked.add_argument('folder', nargs='?', metavar='RESULTS', help='results of `run --quick all`')
    asked.add_argument('--list', action='store_true', help='only compare refutations.txt with the sweeps')
    asked.add_argument('--quick', action='store_true', help='on the quick parts of a few sweeps')
    asked.add_argument('--renew', action='store_true', help='search the changes, and write refutations.txt')
    asked.add_argument('--made-up', metavar='FOLDER', help='what write_made_up wrote')
    given = asked.parse_args()
    if given.list:
        return 0 if check_list() else 1
    if given.made_up:
        return 0 if made_up(given.program, given.made_up, given.renew) else 1
    if given.quick:
        with tempfile.TemporaryDirectory() as scratch:
            agree.run_quick(given.program, scratch)
            return 0 if apply_all(given.program, scratch) else 1
    return 0 if (renew if given.renew else apply_all)(given.program, given.folder) else 1


if __name__ == '__main__':
    sys.exit(main())
