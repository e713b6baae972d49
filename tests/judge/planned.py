# SPDX-License-Identifier: GPL-3.0-or-later
"""What a sweep plans: the cases of its file, with the options that each of them reads."""
import json
import re
import subprocess

import yaml

from judge import BLANK, typed


def as_number(text):
    """The number that a sweep file writes, also as a quotient, else None."""
    text = str(text)
    try:
        if re.fullmatch(r'[\d.eE+-]+(/[\d.eE+-]+)?', text):
            parts = [float(p) for p in text.split('/')]
            return parts[0] / parts[1] if len(parts) == 2 else parts[0]
    except ValueError:
        pass
    return None


class Lists:
    """What `springbench list --json` tells: families, options, and columns of drivers."""
    def __init__(self, program):
        out = subprocess.run([program, 'list', '--json'], stdout=subprocess.PIPE, check=True).stdout
        self.data = json.loads(out)
        self.options = {o['name']: o for o in self.data['options']}
        self.entries, self.readers = {}, {}
        for family in self.data:
            for entry in self.data[family]:
                if isinstance(entry, dict) and entry.get('options') and isinstance(entry['options'][0], dict):
                    self.entries[family, entry['name']] = {o['name']: o['default'] for o in entry['options']}
                    for o in entry['options']:
                        self.readers.setdefault(o['name'], set()).add((family, entry['name']))

    def columns(self, driver):
        return {c['name']: c for d in self.data['drivers'] if d['name'] == driver for c in d['columns']}

    def family_of(self, option):
        """The family whose names an option takes."""
        found = re.match(r'springbench list (\w+)', self.options.get(option, {}).get('allowed', ''))
        return found.group(1) if found else None

    def names_of(self, option):
        family = self.family_of(option)
        return [e['name'] for e in self.data[family]] if family else self.options[option]['allowed'].split(', ')


def read_by(lists, options):
    """The options as the case reads them: those of entries that it does not use are left out."""
    used, todo = set(), [o for o in options if lists.family_of(o) and o not in lists.readers]
    values = dict(options)
    while todo:
        entry = (lists.family_of(todo[0]), str(values.get(todo.pop(0))))
        if entry in used:
            continue
        used.add(entry)
        for option, default in lists.entries.get(entry, {}).items():
            values.setdefault(option, default)
            if lists.family_of(option):
                todo.append(option)
    return {o: v for o, v in values.items() if o not in lists.readers or lists.readers[o] & used}


class Sweep:
    """A sweep file with the cases of a plan: either the lines of `plan --format json`, or those of a plan.json."""
    def __init__(self, path, lists, plan):
        self.path, self.lists = path, lists
        with open(path, encoding='utf-8') as f:
            self.file = yaml.load(f, Loader=yaml.CBaseLoader)
        self.columns = lists.columns(self.file['driver'])
        self.timings = {n for n, c in self.columns.items() if c['timing'] and n != 'noisy'} | {'wall_s'}
        seconds_and_rates = {n for n in self.timings - {'wall_s'} if self.columns[n]['unit'] in ('s', '1/s', 'B/s')}
        self.times = seconds_and_rates | {'wall_s'}
        if isinstance(plan, dict):
            cases = [(c['key'], c['options'], c.get('method', ''), 'skipped' in c) for c in plan['cases']]
        else:
            expanded = self.expanded()
            if len(expanded) != len(plan):
                raise ValueError('%s: %d cases expanded, %d planned' % (path, len(expanded), len(plan)))
            for case, planned in zip(expanded, plan):
                self.check(case, planned)
            cases = [(p['key'], p['options'], c.get('method', ''), p['state'] == 'skipped')
                     for c, p in zip(expanded, plan)]
        self.rows = []
        for key, options, method, skipped in cases:
            options = dict(read_by(lists, options), method=method)
            self.rows.append((key, {n: typed(n, v) for n, v in options.items()}, skipped))
        self.words = {}
        for _, options, _ in self.rows:
            for n, v in options.items():
                if isinstance(v, str):
                    self.words.setdefault(n, set()).add(v)
        self.given = {n for _, options, _ in self.rows for n, v in options.items() if v is not BLANK}

    def check(self, case, planned):
        for axis, value in case.items():
            stored = planned['options'].get(axis)
            a, b = as_number(value), as_number(stored)
            if a is not None and b is not None and abs(a - b) > 1e-12 * abs(a):
                raise ValueError('%s: %s is %s in the file, %s in the plan' % (self.path, axis, value, stored))

    def expanded(self):
        found = []
        for block in self.file['sweep']:
            cases = [{}]
            for kind, axes in block.items():
                if kind == 'grid':
                    for axis, values in axes.items():
                        values = self.values(axis, values)
                        cases = [dict(c, **{axis: v}) for c in cases for v in values]
                elif kind == 'zip':
                    lists = {a: self.values(a, v) for a, v in axes.items()}
                    longest = max(len(v) for v in lists.values())
                    lines = [{a: v[i if len(v) > 1 else 0] for a, v in lists.items()} for i in range(longest)]
                    cases = [dict(c, **line) for c in cases for line in lines]
            found += cases
        return found

    def values(self, axis, values):
        if values == 'every':
            return self.lists.names_of(axis)
        if not isinstance(values, list):
            return [values]
        return values
