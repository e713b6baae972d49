# SPDX-License-Identifier: GPL-3.0-or-later
"""Plans a sweep: the cases of its file and of its request, with the options that each of them reads."""
import json
import os
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
    """The contents of `springbench list --json`: families, options, and columns of drivers."""
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


# Options that a case reads only with a value of another one (docs/reference/options.md).
NEEDS = {'pin_weight': ('pin_method', 'penalty')}
# Options whose default does not count beside another one.
INSTEAD = {'total_mass': 'vertex_mass'}


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
            if INSTEAD.get(option) not in options:
                values.setdefault(option, default)
            if lists.family_of(option):
                todo.append(option)
    needless = {o for o, (other, value) in NEEDS.items() if str(values.get(other)) != value}
    return {o: v for o, v in values.items() if o not in needless and (o not in lists.readers or lists.readers[o] & used)}


def read_request(folder):
    """Returns what command lines added to the sweep file of a results directory: `set`, `more`, `methods`."""
    path = os.path.join(folder, 'request.json')
    if not os.path.exists(path):
        return {}
    with open(path, encoding='utf-8') as f:
        return json.load(f)


class Sweep:
    """A sweep file with the cases of a plan: either the lines of `plan --format json`, or those of a plan.json.

    If a request adds to the file, the expanded cases and the plan must have the same options."""
    def __init__(self, path, lists, plan, request=None):
        self.path, self.lists = path, lists
        request = request or {}
        self.has_request = bool(request)
        self.set, self.more = request.get('set', {}), request.get('more', {})
        with open(path, encoding='utf-8') as f:
            self.file = yaml.load(f, Loader=yaml.CBaseLoader)
        self.methods = {**request.get('methods', {}), **(self.file.get('methods') or {})}
        self.added_methods = [m for m in request.get('methods', {}) if m not in (self.file.get('methods') or {})]
        self.columns = lists.columns(self.file['driver'])
        self.timings = {n for n, c in self.columns.items() if c['timing'] and n != 'noisy'} | {'wall_s'}
        seconds_and_rates = {n for n in self.timings - {'wall_s'} if self.columns[n]['unit'] in ('s', '1/s', 'B/s')}
        self.times = seconds_and_rates | {'wall_s'}
        if isinstance(plan, dict):
            cases = [(c['key'], c['options'], c.get('method', ''), 'skipped' in c) for c in plan['cases']]
        else:
            expanded = self.expanded()
            if self.has_request:
                plan = self.matched(expanded, plan)
            if len(expanded) != len(plan):
                raise ValueError('%s: %d cases expanded, %d planned' % (path, len(expanded), len(plan)))
            for (_, axes), planned in zip(expanded, plan):
                self.check(axes, planned)
            cases = [(p['key'], p['options'], axes.get('method', ''), p['state'] == 'skipped')
                     for (_, axes), p in zip(expanded, plan)]
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
        if self.has_request:
            levels = [self.file.get('defaults') or {}, *self.methods.values()]
            for block in self.file['sweep']:
                levels += [block.get(part) or {} for part in ('defaults', 'grid', 'zip')]
            self.given |= {n for level in levels for n in level}

    def check(self, case, planned):
        for axis, value in case.items():
            stored = planned['options'].get(axis)
            a, b = as_number(value), as_number(stored)
            if a is not None and b is not None and abs(a - b) > 1e-12 * abs(a):
                raise ValueError('%s: %s is %s in the file, %s in the plan' % (self.path, axis, value, stored))

    def matched(self, expanded, plan):
        """The members of a plan for the expanded cases, found by all options that the sweep or its request gives."""
        found = {self.meaning(p['options']): p for p in plan}
        wanted = [self.meaning(self.options_of(*case)) for case in expanded]
        if len(plan) != len(found) or set(wanted) != set(found) or len({p['key'] for p in plan}) != len(plan):
            raise ValueError('%s: %d cases expanded, %d planned; not planned: %s; not expanded: %s'
                             % (self.path, len(wanted), len(plan), sorted(set(wanted) - set(found))[:2],
                                sorted(set(found) - set(wanted))[:2]))
        return [found[w] for w in wanted]

    def expanded(self):
        """The block's defaults and the axes of each case. Cases that the request makes equal are one, with the names
        of the first."""
        cases = [(block.get('defaults') or {}, case) for block in self.file['sweep'] for case in self.cases_of(block)]
        self.asked_for = sorted({n for case in cases for n in self.options_of(*case)})
        if not self.has_request:
            return cases
        first = {}
        for case in cases:
            first.setdefault(self.meaning(self.options_of(*case)), case)
        return list(first.values())

    def options_of(self, defaults, axes):
        """The options that are given to a case: those of a higher level replace those of a lower one."""
        options = {**(self.file.get('defaults') or {}), **defaults, **self.methods.get(axes.get('method'), {}), **axes}
        return {n: v for n, v in options.items() if n != 'method'}

    def meaning(self, options):
        """A form that the options of two cases have in common exactly if the cases are equal."""
        return tuple((n, plain_value(options.get(n, self.lists.options[n]['default']))) for n in self.asked_for)

    def cases_of(self, block):
        cases = [{}]
        for kind, axes in block.items():
            if kind == 'grid':
                for axis, values in axes.items():
                    values = self.asked(axis, self.values(axis, values))
                    cases = [dict(c, **{axis: v}) for c in cases for v in values]
            elif kind == 'zip':
                cases = [dict(c, **line) for c in cases for line in self.lines(axes)]
        has = set(block.get('grid') or ()) | set(block.get('zip') or ())
        for axis in self.set:
            if axis not in has:
                cases = [dict(c, **{axis: v}) for c in cases for v in self.asked(axis, [])]
        return cases

    def asked(self, axis, values):
        """The values of an axis of a grid: those of the file or in their place, and those that were added."""
        values = list(self.set.get(axis, values + (self.added_methods if axis == 'method' else [])))
        return values + self.further(axis, values)

    def further(self, axis, values):
        """Values that the request adds to an axis that has these already."""
        known = {plain_value(v) for v in values}
        return [v for v in self.more.get(axis, []) if plain_value(v) not in known]

    def lines(self, axes):
        """The lines of a zip. An axis that the request replaces, and values that it adds, are a factor of the others."""
        lists = {a: self.values(a, v) for a, v in axes.items()}
        longest = max(len(v) for v in lists.values())
        lines = [{a: v[i if len(v) > 1 else 0] for a, v in lists.items()} for i in range(longest)]
        for axis, values in lists.items():
            if axis in self.set:
                lines = [dict(line, **{axis: v}) for line in lines for v in self.asked(axis, [])]
            else:
                new = self.further(axis, values)
                new += [m for m in self.added_methods if axis == 'method' and m not in values + new]
                lines += [dict(line, **{axis: v}) for v in new for line in lines]
        return lines

    def values(self, axis, values):
        if values == 'every':
            return self.lists.names_of(axis)
        if not isinstance(values, list):
            return [values]
        return values


def plain_value(value):
    number = as_number(value)
    text = '[%s]' % ','.join(value) if isinstance(value, list) else str(value)
    return repr(number) if number is not None else text
