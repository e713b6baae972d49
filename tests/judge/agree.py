#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Compares springbench with the second judge: the verdict of every claim, and every cell of every table.

    agree.py PROGRAM DIR ...                  on results directories
    agree.py PROGRAM --made-up FOLDER         on what write_made_up wrote there for all sweeps
    agree.py PROGRAM --quick                  on the quick parts of a few sweeps
    agree.py PROGRAM --random SEED            on random claims
    agree.py PROGRAM --statuses WRITER SEED N on random claims and statuses, N times, by the program write_made_up
    agree.py PROGRAM --requests SEED [STEPS]  on directories that random sequences of user actions make
"""
import argparse
import csv
import glob
import json
import math
import os
import re
import subprocess
import sys
import tempfile

import judge
import planned
import random_claims
import random_requests


def same_cell(ours, rows, theirs, table):
    """Whether a cell of ours, made of rows, is what the program wrote; a missing value names how a case ended."""
    if isinstance(ours, judge.Number) and math.isfinite(ours.low):
        try:
            x = float(theirs)
        except ValueError:
            return 'failed_as_words' in table and theirs in {judge.WORDS[r.status] for r in rows}
        return x == ours.low or abs(x - ours.low) <= 1e-11 * max(abs(x), abs(ours.low))
    if isinstance(ours, judge.Unknown) and 'of all' in ours.why:
        return theirs == 'undefined'
    if isinstance(ours, judge.Unknown) and 'not finite' not in ours.why:
        return theirs in ours.why
    if isinstance(ours, (str, bool)):
        return theirs == judge.plain(ours)
    return theirs == '' or theirs in {judge.WORDS.get(r.status) for r in rows}


def compare_table(results, table, theirs):
    """Differences between a table of ours and the lines that the program wrote."""
    pivot = isinstance(table['columns'], str)
    named = len(judge.axes_of(table)) + (sum(' at ' in h or ' = ' in h for h in theirs[0]) if pivot else len(table['columns']))
    further = [h.split(' (')[0] for h in theirs[0][:max(0, len(theirs[0]) - named)]]
    if sorted(further) != sorted(judge.further_of(results, table)):
        yield 'further options: ours %s, theirs %s' % (judge.further_of(results, table), further)
    heads, ours = judge.table_of(results, table, further)
    if heads:
        found = [h.split(' = ')[-1] for h in theirs[0][-len(heads):]]
        if found != [judge.shown(h) for h in heads]:
            yield 'columns: ours %s, theirs %s' % (heads, found)
    if len(ours) != len(theirs) - 1:
        yield '%d lines, theirs %d' % (len(ours), len(theirs) - 1)
        return
    for i, (a, b) in enumerate(zip(ours, theirs[1:])):
        if len(a) != len(b):
            yield 'line %d: %d cells, theirs %d' % (i + 1, len(a), len(b))
            continue
        for j, ((x, rows), y) in enumerate(zip(a, b)):
            if not same_cell(x, rows, y, table):
                yield 'line %d (%s) cell %d: ours %r of %s, theirs %r' % (
                    i + 1, ', '.join(b[:3]), j + 1, x, [r.status for r in rows[:4]], y)


class Comparison:
    """Counts what was compared, and prints the first differences of each table."""
    def __init__(self):
        self.claims = self.cells = self.tables = self.differences = self.folders = self.findings = 0

    def claim(self, name, results, claim, theirs):
        self.claims += 1
        ours = judge.verdict(results, claim)
        if ours != theirs:
            self.differ('%s: claim "%s": ours %s, theirs %s' % (name, claim['claim'], ours, theirs))

    def table(self, name, results, table, theirs):
        self.tables += 1
        self.cells += sum(map(len, theirs[1:]))
        found = list(compare_table(results, table, theirs))
        for text in found[:3]:
            self.differ('%s: table %s: %s' % (name, table['id'], text))
        self.differences += len(found[3:])

    def options(self, name, results):
        for text in list(results.option_faults())[:3]:
            self.differ('%s: %s' % (name, text))

    def differ(self, text):
        self.differences += 1
        print(text)


def output_of(*line):
    """Returns the output of a command, also if a claim fails (3)."""
    done = subprocess.run(line, stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding='utf-8', check=False)
    if done.returncode not in (0, 3):
        raise SystemExit('%s ended with %d: %s' % (' '.join(line), done.returncode, done.stderr))
    return done.stdout


def compare_results(program, lists, folder, published, counts):
    """Compares with `verify` and `table` of a results directory."""
    file, name = os.path.join(folder, 'sweep.yaml'), os.path.basename(folder.rstrip('/'))
    plan = json.loads(output_of(program, 'plan', file, '--format', 'json', '-o', '/nonexistent/folder'))
    results = judge.Results(planned.Sweep(file, lists, plan), folder, published)
    counts.options(name, results)
    for claim, line in zip(results.sweep.file.get('expect', []), output_of(program, 'verify', folder).splitlines()):
        word = re.split('  +', line)[0].lower()
        counts.claim(name, results, claim, word + (', holds so far' if ': holds so far' in line else ''))
    tables = output_of(program, 'table', folder, '--format', 'csv').split('\n\n')
    for table, text in zip(results.sweep.file['tables'], tables):
        counts.table(name, results, table, list(csv.reader(text.strip('\n').splitlines())))


def compare_made_up(lists, file, folder, published, counts):
    """Compares with what write_made_up wrote for a sweep: a whole and a part of it, with verdicts and tables."""
    with open(os.path.join(folder, 'whole', 'plan.json'), encoding='utf-8') as f:
        sweep = planned.Sweep(file, lists, json.load(f))
    for extent in ('whole', 'part'):
        name, place = '%s (%s)' % (os.path.basename(folder), extent), os.path.join(folder, extent)
        results = judge.Results(sweep, place, published)
        counts.options(name, results)
        with open(os.path.join(place, 'verdicts.txt'), encoding='utf-8') as f:
            words = [line.split('\t')[0] for line in f if '\t' in line]
        if len(words) != len(sweep.file.get('expect', [])):
            counts.differ('%s: %d verdicts' % (name, len(words)))
        for claim, word in zip(sweep.file.get('expect', []), words):
            counts.claim(name, results, claim, word.lower().replace(' (so far)', ', holds so far'))
        for table in sweep.file['tables']:
            with open(os.path.join(place, 'tables', table['id'] + '.csv'), encoding='utf-8', newline='') as f:
                counts.table(name, results, table, list(csv.reader(f)))


QUICK = ('rope_blowup', 'cloth_pins', 'cloth_implicit', 'chain_two_masses', 'rod', 'refinement_stiffness', 'ranks')


def compare_all_made_up(lists, root, folder, published, counts):
    for file in sorted(glob.glob(os.path.join(root, 'experiments', '*', '*.yaml'))):
        compare_made_up(lists, file, os.path.join(folder, os.path.basename(file)[:-len('.yaml')]), published, counts)


def run_quick(program, folder):
    subprocess.run([program, 'run', *QUICK, '--quick', '-o', folder, '--progress', 'none'],
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)


def compare_quick(program, lists, published, counts):
    with tempfile.TemporaryDirectory() as scratch:
        run_quick(program, scratch)
        for name in QUICK:
            compare_results(program, lists, os.path.join(scratch, name), published, counts)


def compare_statuses(program, lists, published, counts, writer, first, rounds):
    """Random claims on made-up results, whose cases end in every way; other claims and other results in each round."""
    with tempfile.TemporaryDirectory() as scratch:
        for seed in range(first, first + rounds):
            for kind in random_claims.KINDS:
                file, folder = os.path.join(scratch, kind + '.yaml'), os.path.join(scratch, 'made')
                random_claims.write_claims(program, file, kind, seed, 200)
                subprocess.run([writer, folder, file, str(seed)], check=True)
                before = counts.differences
                compare_made_up(lists, file, os.path.join(folder, kind), published, counts)
                if counts.differences > before:
                    print('of seed %d' % seed, flush=True)


def compare_request(program, lists, counts, world, name, stale):
    """Compares on a results directory that answers a request. `stale`: no command has written its index since."""
    folder = world.path(name)
    file, title = os.path.join(folder, 'sweep.yaml'), '%s of %s %d' % (name, world.kind, world.seed)
    before, counts.folders = counts.differences, counts.folders + 1
    try:
        plan = json.loads(output_of(program, 'plan', file, '--format', 'json', '-o', '/nonexistent/folder'))
        sweep = planned.Sweep(file, lists, plan, planned.read_request(folder))
        results = judge.Results.of_journal(sweep, folder)
        order = {p['key']: i for i, p in enumerate(plan)}
        results.shown.sort(key=lambda row: order[row.key])
        if not stale:
            compare_index(results, folder, title, counts)
        lines = [line for line in output_of(program, 'verify', folder).splitlines() if not line.startswith(world.kind + ':')]
        claims = results.sweep.file.get('expect', [])
        if len(lines) != len(claims):
            counts.differ('%s: %d claims, %d lines' % (title, len(claims), len(lines)))
        for claim, line in zip(claims, lines):
            word = re.split('  +', line)[0].lower()
            counts.claim(title, results, claim, word + (', holds so far' if ': holds so far' in line else ''))
        tables = output_of(program, 'table', folder, '--format', 'csv').split('\n\n')
        for table, text in zip(results.sweep.file['tables'], tables):
            counts.table(title, results, table, list(csv.reader(text.strip('\n').splitlines())))
        if world.kind != 'times':
            compare_findings(program, lists, counts, world, name, set(order))
    except (ValueError, SystemExit) as e:
        counts.differ('%s: %s' % (title, e))
    if counts.differences > before:
        print_log(world, counts)


def compare_findings(program, lists, counts, world, name, counting):
    """Compares the verdicts on published findings. Claims of the sweep that comes with springbench answer one each, by
    the results of the directory's request (of these keys) that have the keys of its cases."""
    with tempfile.TemporaryDirectory() as scratch:
        root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
        data, folder = os.path.join(scratch, 'data'), os.path.join(scratch, 'results')
        for path in (os.path.join(data, 'experiments'), os.path.join(data, 'results'), folder):
            os.makedirs(path)
        for path in ('plots', 'results/published'):
            os.symlink(os.path.join(root, path), os.path.join(data, path))
        with open(os.path.join(root, 'results', 'published', 'findings.csv'), encoding='utf-8') as f:
            findings = [r['id'] for r in csv.DictReader(line for line in f if not line.startswith('#'))
                        if r['kind'] != 'time' and not r['needs'] and not r['not_comparable']]
        file = os.path.join(data, 'experiments', world.kind + '.yaml')
        random_claims.write_claims(program, file, world.kind, world.seed, 15, world.plain, findings)
        plan = json.loads(output_of(program, 'plan', file, '--format', 'json', '-o', '/nonexistent/folder'))
        results = judge.Results.of_journal(planned.Sweep(file, lists, plan), world.path(name), counting)
        os.symlink(world.path(name), os.path.join(folder, world.kind))
        done = subprocess.run([program, 'verify', folder], stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False,
                              env={**os.environ, 'SPRINGBENCH_DATA': data}, encoding='utf-8')
        try:
            with open(os.path.join(folder, 'REPRODUCED.md'), encoding='utf-8') as f:
                page = f.read()
        except OSError:
            raise SystemExit('verify of a folder: ' + done.stderr) from None
        for claim in results.sweep.file['expect']:
            found = re.search(r'\| \*\*. ([^*]*)\*\*[^\n]*`%s`' % claim['finding'], page)
            counts.findings += 1
            ours = judge.verdict(results, claim).split(',')[0]
            if not found or found.group(1).lower() != ours:
                counts.differ('%s of %s %d: finding of claim "%s": ours %s, theirs %s' % (
                    name, world.kind, world.seed, claim['claim'], ours, found and found.group(1)))


def compare_index(results, folder, title, counts):
    """Compares rows, methods and options of results.csv."""
    with open(os.path.join(folder, 'results.csv'), encoding='utf-8', newline='') as f:
        lines = list(csv.DictReader(f))
    found, wanted = [line['key'] for line in lines], [row.key for row in results.shown]
    if found != wanted:
        counts.differ('%s: results.csv has %d rows, ours %d; not there: %s; there too: %s' % (
            title, len(found), len(wanted), sorted(set(wanted) - set(found))[:4], sorted(set(found) - set(wanted))[:4]))
        return
    for row, line in zip(results.shown, lines):
        if row.status != line['status']:
            counts.differ('%s: %s is %s, in results.csv %s' % (title, row.key, row.status, line['status']))
        row.cells = {**line, **row.cells}
    counts.options(title, results)


def print_log(world, counts):
    if counts.differences < 40:
        print('after:\n  ' + '\n  '.join(world.log), flush=True)


def compare_requests(program, lists, counts, seed, steps):
    """Random actions on three sweeps: fewer on the timed one, whose cases are run several times."""
    program = os.path.abspath(program)

    def fault(world, text):
        counts.differ('%s %d: %s' % (world.kind, world.seed, text))
        print_log(world, counts)

    compare = lambda world, name, stale=False: compare_request(program, lists, counts, world, name, stale)
    for kind in random_claims.KINDS:
        with tempfile.TemporaryDirectory() as scratch:
            random_requests.World(program, scratch, kind, seed, compare, fault).live(
                steps // 4 if kind == 'times' else steps, 150)


def main():
    root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    asked = argparse.ArgumentParser(description='Compares springbench with the second judge. Exit status 1: they differ.')
    asked.add_argument('program')
    asked.add_argument('folders', nargs='*', metavar='DIR', help='results directories')
    asked.add_argument('--random', metavar='SEED', type=int, help='random claims alone')
    asked.add_argument('--statuses', nargs=3, metavar=('WRITER', 'SEED', 'N'), help='random claims on random statuses')
    asked.add_argument('--requests', nargs='+', metavar=('SEED', 'STEPS'), type=int, help='random sequences of actions')
    asked.add_argument('--made-up', metavar='FOLDER', help='what write_made_up wrote')
    asked.add_argument('--quick', action='store_true', help='quick parts of a few sweeps')
    given = asked.parse_args()
    lists, published, counts = planned.Lists(given.program), os.path.join(root, 'results', 'published'), Comparison()
    for folder in given.folders:
        compare_results(given.program, lists, folder, published, counts)
    if given.random is not None:
        with tempfile.TemporaryDirectory() as scratch:
            for kind in random_claims.KINDS:
                folder = random_claims.results(given.program, scratch, kind, given.random)
                compare_results(given.program, lists, folder, published, counts)
    if given.statuses:
        writer, *numbers = given.statuses
        compare_statuses(given.program, lists, published, counts, os.path.abspath(writer), *map(int, numbers))
    if given.requests:
        compare_requests(given.program, lists, counts, *(given.requests + [9])[:2])
    if given.made_up:
        compare_all_made_up(lists, root, given.made_up, published, counts)
    if given.quick:
        compare_quick(given.program, lists, published, counts)
    print('%s%d claims, %d cells of %d tables: %d differ' % (
        '%d times a directory, %d findings, ' % (counts.folders, counts.findings) if counts.folders else '', counts.claims, counts.cells, counts.tables,
                                                           counts.differences))
    return 1 if counts.differences or not counts.claims else 0


if __name__ == '__main__':
    sys.exit(main())
