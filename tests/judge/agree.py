#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Compares springbench with the second judge: the verdict of every claim, and every cell of every table.

    agree.py PROGRAM DIR ...                  on results directories
    agree.py PROGRAM --made-up FOLDER         on what write_made_up wrote there for all sweeps
    agree.py PROGRAM --quick                  on the quick parts of a few sweeps
    agree.py PROGRAM --random SEED            on random claims
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
    heads, ours = judge.table_of(results, table)
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
        self.claims = self.cells = self.tables = self.differences = 0

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
    """What a command prints, also if a claim fails (3)."""
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


def compare_quick(program, lists, published, counts):
    with tempfile.TemporaryDirectory() as scratch:
        subprocess.run([program, 'run', *QUICK, '--quick', '-o', scratch, '--progress', 'none'],
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
        for name in QUICK:
            compare_results(program, lists, os.path.join(scratch, name), published, counts)


def main():
    root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    asked = argparse.ArgumentParser(description='Compares springbench with the second judge. Exit status 1: they differ.')
    asked.add_argument('program')
    asked.add_argument('folders', nargs='*', metavar='DIR', help='results directories')
    asked.add_argument('--random', metavar='SEED', type=int, help='random claims alone')
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
    if given.made_up:
        compare_all_made_up(lists, root, given.made_up, published, counts)
    if given.quick:
        compare_quick(given.program, lists, published, counts)
    print('%d claims, %d cells of %d tables: %d differ' % (counts.claims, counts.cells, counts.tables,
                                                           counts.differences))
    return 1 if counts.differences or not counts.claims else 0


if __name__ == '__main__':
    sys.exit(main())
