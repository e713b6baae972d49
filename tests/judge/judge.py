#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""A second judge of results, written from docs/expressions.md and docs/sweep_file.md without the judging code in C.

It reads a sweep file, the plan (`plan SWEEP --format json`), results.csv and journal.jsonl of a results directory, and
the published tables. From these it computes the verdict of every claim and the number of every cell of a table.
"""
import csv
import json
import math
import os
import re

import h5py

FAILURES = {'timeout', 'oom', 'crashed', 'error', 'interrupted', 'skipped'}
BROKEN = {'diverged', 'not_spd', 'contact_unresolved'}
ABOUT = {'key', 'status', 'reason', 'accuracy_ok', 'broke_off', 'command'}
ALWAYS = {'blowup_time', 'onset_time', 'steps_done', 'end_time',
          'h_seconds', 'duration_seconds', 'energy_start', 'vertices', 'spring_count', 'truth_steps', 'omega_max',
          'limit_h', 'limit_h_any_stretch', 'onset_predicted', 'growth_predicted', 'wave_number', 'frequency_exact',
          'frequency_numerical', 'growth_numerical'}
ALWAYS_OF_DRIVER = {('blowup', 'growth_measured')}  # a run of dispersion measures it at the end
TEXTS = {'key', 'reason', 'digest', 'command', 'noisy', 'status', 'not_counted', 'linear_used', 'method', 'problem'}


# ---------------------------------------------------------------------------------------------------------- values
class Blank:
    """A value that is known not to be there."""
    def __repr__(self):
        return 'blank'


BLANK = Blank()


class Unknown:
    """A value or truth that could be anything, and why."""
    def __init__(self, *why):
        self.why = frozenset(why)

    def __repr__(self):
        return 'unknown(%s)' % ','.join(sorted(self.why))


class Undefined(Exception):
    """A function of all rows that has too few of them."""


class Number:
    """A number known to lie between low and high; why says what leaves it open."""
    def __init__(self, low, high=None, why=()):
        self.low, self.high, self.why = low, low if high is None else high, frozenset(why)

    exact = property(lambda self: self.low == self.high)

    def __repr__(self):
        return repr(self.low) if self.exact else '[%r, %r]' % (self.low, self.high)


def settled(v):
    """Bounds decide only a comparison on whose side they stand alone; elsewhere they are unknown."""
    return Unknown(*v.why) if isinstance(v, Number) and not v.exact else v


def number(low, high=None, why=()):
    high = low if high is None else high
    if math.isnan(low) or math.isnan(high):
        return Unknown(*(why or ['not finite']))
    return Number(low, high, why)


def reasons(*values):
    why = set()
    for v in values:
        if isinstance(v, (Unknown, Number)):
            why |= v.why
    return why


def truth(v):
    if v is BLANK:
        return False
    if isinstance(v, (bool, Unknown)):
        return v
    raise ValueError('no truth: %r' % (v,))


def all_of(values):
    """Conjunction by Kleene's logic."""
    values = [truth(v) for v in values]
    if any(v is False for v in values):
        return False
    why = reasons(*values)
    return Unknown(*why) if any(isinstance(v, Unknown) for v in values) else True


def negated(v):
    v = truth(v)
    return v if isinstance(v, Unknown) else not v


def any_of(values):
    return negated(all_of([negated(v) for v in values]))


# ------------------------------------------------------------------------------------------------------ expressions
TOKEN = re.compile(r"""\s*(?:(?P<num>(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)|(?P<name>[A-Za-z_]\w*)
                       |(?P<str>"[^"]*"|'[^']*')|(?P<op>==|!=|<=|>=|[-+*/^()\[\],<>=~]))""", re.X)


class Parser:
    def __init__(self, text):
        self.tokens, at, text = [], 0, str(text).rstrip()
        while at < len(text):
            m = TOKEN.match(text, at)
            if not m:
                raise ValueError('cannot read %r at %d' % (text, at))
            self.tokens.append((m.lastgroup, m.group(m.lastgroup)))
            at = m.end()
        self.at = 0

    def peek(self, ahead=0):
        return self.tokens[self.at + ahead] if self.at + ahead < len(self.tokens) else (None, None)

    def take(self, *wanted):
        kind, text = self.peek()
        if kind in ('op', 'name') and text in wanted:
            self.at += 1
            return text
        return None

    def need(self, text):
        if not self.take(text):
            raise ValueError('expected %r at token %d of %r' % (text, self.at, self.tokens))

    def whole(self):
        tree = self.disjunction()
        if self.at != len(self.tokens):
            raise ValueError('trailing %r' % (self.tokens[self.at:],))
        return tree

    def disjunction(self):
        return self.joined('or', self.conjunction)

    def conjunction(self):
        return self.joined('and', self.negation)

    def joined(self, word, part):
        parts = [part()]
        while self.take(word):
            parts.append(part())
        return parts[0] if len(parts) == 1 else (word, parts)

    def negation(self):
        if self.take('not'):
            return ('not', self.negation())
        return self.comparison()

    def comparison(self):
        sides, signs = [self.sum()], []
        while True:
            sign = self.take('==', '!=', '<', '<=', '>', '>=', '~', 'in')
            if not sign and self.peek() == ('name', 'not') and self.peek(1) == ('name', 'in'):
                self.at += 2
                sign = 'not in'
            if not sign:
                break
            signs.append(sign)
            sides.append(self.list() if sign.endswith('in') else self.sum())
        return ('compare', sides, signs) if signs else sides[0]

    def list(self):
        self.need('[')
        items = [self.sum()]
        while self.take(','):
            items.append(self.sum())
        self.need(']')
        return ('list', items)

    def sum(self):
        return self.folded(('+', '-'), self.product)

    def product(self):
        return self.folded(('*', '/'), self.unary)

    def folded(self, signs, part):
        left, sign = part(), self.take(*signs)
        while sign:
            left = ('arithmetic', sign, left, part())
            sign = self.take(*signs)
        return left

    def unary(self):
        if self.take('-'):
            return ('arithmetic', '-', ('number', 0.0), self.unary())
        if self.take('+'):
            return self.unary()
        base = self.primary()
        return ('arithmetic', '^', base, self.unary()) if self.take('^') else base

    def primary(self):
        kind, text = self.peek()
        self.at += 1
        if kind == 'num':
            return ('number', float(text))
        if kind == 'str':
            return ('text', text[1:-1])
        if (kind, text) == ('op', '('):
            inner = self.disjunction()
            self.need(')')
            return inner
        if kind != 'name':
            raise ValueError('unexpected %r' % (text,))
        if self.take('('):
            return ('call', text, self.arguments())
        if self.take('['):
            return least_or_one(text, self.pairs(']'))
        return ('name', text)

    def arguments(self):
        found = []
        while not self.take(')'):
            if self.peek()[0] == 'name' and self.peek(1) == ('op', '='):
                self.at += 2
                found.append(('pair', self.tokens[self.at - 2][1], self.sum()))
            else:
                found.append(self.disjunction())
            self.take(',')
        return found

    def pairs(self, end):
        found = []
        while not self.take(end):
            name = self.peek()[1]
            self.at += 1
            if self.take('in'):
                found.append((name, self.list()))
            else:
                self.need('=')
                found.append((name, self.sum()))
            self.take(',')
        return found


def least_or_one(text, pairs):
    """A cell; with a list of values the least of the cells of each."""
    lists = [(k, tree[1]) for k, (_, tree) in enumerate(pairs) if tree[0] == 'list']
    if not lists:
        return ('cell', text, pairs)
    at, items = lists[0]
    return ('least', [('cell', text, pairs[:at] + [(pairs[at][0], item)] + pairs[at + 1:]) for item in items])


def names_in(tree):
    if isinstance(tree, tuple) and tree[:1] in (('name',), ('cell',)):
        yield tree[1]
    if isinstance(tree, (tuple, list)):
        for part in tree[1:] if isinstance(tree, tuple) and tree and tree[0] in ('call', 'pair') else tree:
            if isinstance(part, (tuple, list)):
                yield from names_in(part)


def parsed(text, known={}):
    if text not in known:
        known[text] = Parser(text).whole()
    return known[text]


# --------------------------------------------------------------------------------------------------------- numerics
def arithmetic(sign, a, b):
    a, b = settled(a), settled(b)
    if a is BLANK or b is BLANK:
        return BLANK
    if isinstance(a, Unknown) or isinstance(b, Unknown):
        return Unknown(*reasons(a, b))
    return number(operate(sign, a.low, b.low))


def operate(sign, x, y):
    try:
        if sign == '+':
            return x + y
        if sign == '-':
            return x - y
        if sign == '*':
            return x * y
        if sign == '/':
            if y == 0:
                return math.nan if x == 0 or math.isnan(x) else math.copysign(math.inf, x) * math.copysign(1, y)
            return x / y
        return math.pow(x, y)
    except OverflowError:
        return math.inf
    except ValueError:
        return math.inf if sign == '^' and x == 0 else math.nan


def logarithm(x):
    return -math.inf if x == 0 else math.nan if x < 0 else math.log(x)


def exponential(x):
    try:
        return math.exp(x)
    except OverflowError:
        return math.inf


SCALAR = {'sqrt': lambda x: math.nan if x < 0 else math.sqrt(x), 'log': logarithm, 'exp': exponential,
          'sin': lambda x: math.nan if math.isinf(x) else math.sin(x), 'abs': abs}


def scalar(name, v):
    v = settled(v)
    return v if v is BLANK or isinstance(v, Unknown) else number(SCALAR[name](v.low))


def compare(sign, a, b):
    if sign in ('in', 'not in'):
        found = any_of([compare('==', a, x) for x in b])
        return False if a is BLANK else found if sign == 'in' else negated(found)
    if a is BLANK or b is BLANK:
        return False
    if isinstance(a, Unknown) or isinstance(b, Unknown):
        return Unknown(*reasons(a, b))
    if sign == '~':
        return re.search(b, a if isinstance(a, str) else shortest(a)) is not None
    if not (isinstance(a, Number) and isinstance(b, Number)):
        same = plain(a) == plain(b)
        return same if sign == '==' else not same if sign == '!=' else invalid(sign, a, b)
    if sign in ('>', '>='):
        a, b, sign = b, a, {'>': '<', '>=': '<='}[sign]
    why = reasons(a, b)
    if sign in ('==', '!='):
        if a.exact and b.exact:
            return (a.low == b.low) == (sign == '==')
        return (sign == '!=') if a.high < b.low or b.high < a.low else Unknown(*why)
    if sign == '<':
        return True if a.high < b.low else False if a.low >= b.high else Unknown(*why)
    return True if a.high <= b.low else False if a.low > b.high else Unknown(*why)


def invalid(sign, a, b):
    raise ValueError('cannot compare %r %s %r' % (a, sign, b))


def shortest(v):
    return '%d' % v.low if v.low == int(v.low) and abs(v.low) < 1e15 else repr(v.low)


def plain(v):
    return ('true' if v else 'false') if isinstance(v, bool) else shortest(v) if isinstance(v, Number) else v


def exactly(v):
    """Returns a form that two values have in common exactly if they are equal."""
    return v.low if isinstance(v, Number) else v if v is BLANK or isinstance(v, Unknown) else plain(v)


def quantile(values, q):
    values = sorted(values)
    at = q * (len(values) - 1)
    low = int(at)
    high = min(low + 1, len(values) - 1)
    return values[low] + (at - low) * (values[high] - values[low])


def slope(pairs):
    if len({x for _, x in pairs}) < 2:
        return Unknown('undefined')
    mx, my = (sum(p[i] for p in pairs) / len(pairs) for i in (1, 0))
    xx = sum((x - mx) * (x - mx) for _, x in pairs)
    xy = sum((x - mx) * (y - my) for y, x in pairs)
    return number(xy / xx) if xx > 0 else BLANK


def ranks(values):
    order = sorted(range(len(values)), key=values.__getitem__)
    found, at = [0.0] * len(values), 0
    while at < len(order):
        end = at
        while end < len(order) and values[order[end]] == values[order[at]]:
            end += 1
        for i in order[at:end]:
            found[i] = (at + end - 1) / 2
        at = end
    return found


def rank_correlation(pairs):
    if not pairs or min(len(set(side)) for side in zip(*pairs)) < 2:
        return Unknown('undefined')
    a, b = ranks([p[0] for p in pairs]), ranks([p[1] for p in pairs])
    ma, mb = sum(a) / len(a), sum(b) / len(b)
    aa, bb = sum((x - ma) * (x - ma) for x in a), sum((x - mb) * (x - mb) for x in b)
    ab = sum((x - ma) * (y - mb) for x, y in zip(a, b))
    return number(ab / math.sqrt(aa * bb)) if aa > 0 and bb > 0 else BLANK


QUANTILES = {'median': 0.5, 'lower_quartile': 0.25, 'upper_quartile': 0.75}
OF_PAIRS = {'slope', 'rank_correlation'}
OF_ALL = {'min', 'max', 'mean', 'count', *OF_PAIRS, *QUANTILES}


def extreme(found, sign):
    """Largest (sign 1) or smallest (-1) of (value, certain): bounds where values or memberships are unknown."""
    why, sure, perhaps = set(), [], []
    for v, certain in found:
        v = settled(v) if certain is True or v is BLANK else certain
        why |= reasons(v)
        if v is not BLANK:
            perhaps.append(math.inf if isinstance(v, Unknown) else sign * v.low)
            sure += [] if isinstance(v, Unknown) else [sign * v.low]
    if not perhaps:
        return BLANK
    if not sure:
        return Unknown(*why)
    low, high = sorted((sign * max(sure), sign * max(perhaps)))
    return number(low, high, why if low < high else ())


def least(values):
    """Blanks do not count; an unknown value may be the least."""
    values = [v for v in values if v is not BLANK]
    if any(isinstance(v, Unknown) or math.isnan(v.low) for v in values):
        return Unknown(*reasons(*values))
    return min(values, key=lambda v: v.low) if values else BLANK


def counted(found):
    why, low, high = set(), 0, 0
    for v, certain in found:
        if v is BLANK:
            continue
        if isinstance(v, bool):
            raise ValueError('count of what is true or false')
        high += 1
        if isinstance(v, Unknown) or certain is not True:
            why |= reasons(v, certain)
        else:
            low += 1
    return number(float(low), float(high), why)


def aggregate(name, lists):
    """lists: the values over the rows, as (value, certain); for a function of pairs those of each argument."""
    if name == 'count':
        return counted(lists[0])
    if name in ('min', 'max'):
        return extreme(lists[0], 1 if name == 'max' else -1)
    rows, why = [], set()
    for row in zip(*lists):
        values = [v for v, _ in row]
        if BLANK in values:
            continue
        open_ones = [v for v in values if isinstance(v, Unknown) or not v.exact]
        open_ones += [c for _, c in row if c is not True]
        why |= reasons(*open_ones)
        if not open_ones:
            rows.append([v.low for v in values])
    if any(math.isinf(x) for row in rows for x in row):
        why.add('not finite')
    if why:
        return Unknown(*why, *['of all'] * ('not finite' in why))
    if name == 'slope':
        return slope(rows)
    if name == 'rank_correlation':
        return rank_correlation(rows)
    if not rows:
        return BLANK
    values = [r[0] for r in rows]
    return number(sum(values) / len(values) if name == 'mean' else quantile(values, QUANTILES[name]))


def typed(name, text):
    """A cell of results.csv or the text of an option as a value."""
    if text is None or text == '':
        return BLANK
    if name in TEXTS:
        return text
    if text in ('true', 'false'):
        return text == 'true'
    try:
        return number(float(text))
    except ValueError:
        return text


# ------------------------------------------------------------------------------------------------------ the results
class Row:
    """A case of the sweep: its options, its cells in results.csv (None: it is not here), and how it was timed."""
    def __init__(self, key, options, cells, event):
        self.key, self.options, self.cells, self.event = key, options, cells, event
        self.status = cells['status'] if cells else None

    def cell(self, name):
        return typed(name, self.cells.get(name)) if self.cells else BLANK

    noisy = property(lambda self: self.cell('noisy') is not BLANK)
    lacks_gpu = property(lambda self: isinstance(self.cell('device_gpu'), Number) and self.cell('device_gpu').low == 0)

    def place(self):
        return tuple(self.event.get(n) or '' for n in ('build', 'machine', 'host'))

    def whole(self):
        """It made all its steps."""
        return self.status == 'ok' or self.status == 'not_converged' and self.cell('broke_off') is not True


def read_evidence(folder):
    """How often each case was timed, and by what build, machine and host: of evidence.csv, or of the journal."""
    found, path = {}, os.path.join(folder, 'evidence.csv')
    if os.path.exists(path):
        with open(path, encoding='utf-8', newline='') as f:
            return {r['key']: dict(r, repetitions=int(r['repetitions'] or 1)) for r in csv.DictReader(f)}
    with open(os.path.join(folder, 'journal.jsonl'), encoding='utf-8') as f:
        for line in f:
            if '"event":"publish"' in line or '"event":"fail"' in line:
                event = json.loads(line)
                found[event['key']] = {n: event.get(n) for n in ('build', 'machine', 'host', 'repetitions')}
    return found


def read_journal(folder):
    """The newest event of each case that has a result, or failed. A last line that is cut off counts for nothing."""
    found = {}
    with open(os.path.join(folder, 'journal.jsonl'), encoding='utf-8') as f:
        for line in f.read().split('\n')[:-1]:
            event = json.loads(line)
            if event['event'] in ('publish', 'fail'):
                found[event['key']] = event
            elif event['event'] == 'retire':
                found.pop(event['key'], None)
    return found


def cells_of(event):
    """The row of an event as the texts that results.csv has."""
    row = event['row']
    cells = {**row['columns'], **{n: row.get(n) for n in INDEX if n != 'command'}}
    return {n: '' if v is None else ('true' if v else 'false') if isinstance(v, bool) else
            repr(v) if isinstance(v, float) else str(v) for n, v in cells.items()}


def read_published(root, name, known={}):
    if name not in known:
        with open(os.path.join(root, name + '.csv'), encoding='utf-8', newline='') as f:
            known[name] = list(csv.DictReader(line for line in f if not line.startswith('#')))
    return known[name]


INDEX = ('key', 'status', 'reason', 'accuracy_ok', 'broke_off', 'wall_s', 'max_rss_bytes', 'digest', 'command')


def read_curve(folder, key, x, y):
    """The points of a curve over all frames, without those that logarithms cannot show."""
    path = os.path.join(folder, 'cases', key + '.h5')
    if not os.path.exists(path):
        return []
    with h5py.File(path) as f:
        column = {n: f[g]['mean'][n][:] for g in ('convergence', 'timing/convergence') for n in f[g]['mean']}
    return [(math.log(a), math.log(b)) for a, b in zip(column[x], column[y]) if a > 0 and b > 0]


def last_crossing(first, second):
    """The last point of the first curve that is not below the second, after one that is."""
    found, below = None, False
    for x, y in first:
        below = below or x < second[0][0]
        for (a, b), (c, d) in zip(second, second[1:]):
            if a <= x <= c and a < c:
                high = b + (x - a) / (c - a) * (d - b)
                if below and y >= high:
                    found = math.exp(x), math.exp(y)
                below = y < high
                break
    return found


class Results:
    def __init__(self, sweep, folder, published):
        self.sweep, self.folder, self.published = sweep, folder, published
        with open(os.path.join(folder, 'results.csv'), encoding='utf-8', newline='') as f:
            lines = list(csv.DictReader(f))
        with open(os.path.join(folder, 'plan.json'), encoding='utf-8') as f:
            keys = [c['key'] for c in json.load(f)['cases']]
        table = {r['key'] or key: r for r, key in zip(lines, keys if len(keys) == len(lines) else [''] * len(lines))}
        evidence = read_evidence(folder)
        places = {key: i for i, key in enumerate(table)}
        rows = [(Row(key, options, table.get(key), evidence.get(key, {})), skipped)
                for key, options, skipped in sweep.rows]
        self.rows = [r for r, skipped in rows if not skipped]
        self.shown = sorted((r for r, _ in rows if r.cells), key=lambda r: places[r.key])
        self.repetitions = int(sweep.file.get('repetitions') or 1)

    @classmethod
    def of_journal(cls, sweep, folder, counting=None):
        """The results of the cases of a request, by plan and journal: results.csv may be of an earlier request. Only
        those count whose keys are among `counting`, if these are given."""
        found = cls.__new__(cls)
        found.sweep, found.folder, found.published = sweep, folder, None
        found.repetitions = int(sweep.file.get('repetitions') or 1)
        with open(os.path.join(folder, 'plan.json'), encoding='utf-8') as f:
            asked_for = {c['key'] for c in json.load(f)['cases'] if counting is None or c['key'] in counting}
        journal = read_journal(folder)
        found.rows, found.shown = [], []
        for key, options, skipped in sweep.rows:
            event = journal.get(key, {}) if key in asked_for and not skipped else {}
            cells = cells_of(event) if event else {'status': 'skipped' if skipped else ''}
            row = Row(key, options, cells if key in asked_for else None, event)
            found.rows += [] if skipped else [row]
            found.shown += [row] if row.cells else []
        return found

    def seldom(self, row):
        """It was timed fewer times than the sweep requests."""
        return row.whole() and (row.event.get('repetitions') or 1) < self.repetitions

    def option_faults(self):
        """Differences between the options that follow from the plan and those in results.csv."""
        for row in self.shown:
            for name in (set(row.cells) - set(self.sweep.columns)) & (set(self.sweep.lists.options) | {'method'}):
                ours, theirs = row.options.get(name, BLANK), typed(name, row.cells[name])
                if repr(ours) != repr(theirs):
                    yield '%s: option %s: ours %r, results.csv %r' % (row.key, name, ours, theirs)


# ------------------------------------------------------------------------------------------------------- evaluation
class Evaluation:
    """Values of expressions over rows. `judging`: results of failed and missing cases are unknown, as in claims."""
    def __init__(self, results, rows, judging, by_status=False, without_noisy=False):
        self.results, self.judging, self.by_status, self.without_noisy = results, judging, by_status, without_noisy
        self.sweep, self.lists, self.rows = results.sweep, results.sweep.lists, [(r, True) for r in rows]
        self.known, self.read, self.timed, self.of_all = {}, set(), set(), judging
        self.reads_times = False

    # -- names
    def is_option(self, name):
        return (name in self.sweep.given or name in self.lists.options) and name not in self.sweep.columns

    def is_column(self, name):
        return name in self.sweep.columns or name in INDEX

    def is_named(self, name):
        return self.is_option(name) or self.is_column(name)

    def literal(self, tree):
        """The value of a number or a word that stands for itself, else None."""
        plainly = tree[0] in ('number', 'text') or tree[0] == 'name' and not self.is_named(tree[1])
        return self.value(tree, None) if plainly else None

    def name(self, name, row):
        if self.is_option(name):
            return row.options.get(name, BLANK)
        if self.is_column(name):
            return self.column(name, row)
        return {'true': True, 'false': False}.get(name, name)

    def column(self, name, row):
        self.read.add(row)
        self.reads_times = self.reads_times or name in self.sweep.times
        value = self.counted(name, row) if not self.judging else self.known_cell(name, row)
        if name in self.sweep.times and not isinstance(value, Unknown):
            self.timed.add(row)
        return value

    def known_cell(self, name, row):
        if not row.status or row.status in FAILURES:
            return Unknown('absent')
        value = self.counted(name, row)
        if row.status != 'ok':
            always = name in ABOUT | ALWAYS or (self.sweep.file['driver'], name) in ALWAYS_OF_DRIVER
            partial = not always and (not row.whole() or name in self.sweep.timings)
            if value is BLANK or partial and not self.by_status:
                return Unknown('failed')
        if name in self.sweep.times:
            if self.results.seldom(row):
                return Unknown('seldom')
            if self.without_noisy and row.noisy:
                return Unknown('noisy')
        return value

    def counted(self, name, row):
        """The cell; unknown, if it is made of operations that nobody counted."""
        value = row.cell(name)
        return Unknown('not counted') if value == 'not counted' else value

    # -- expressions
    def value(self, tree, row):
        kind = tree[0]
        if kind == 'number':
            return number(tree[1])
        if kind == 'text':
            return tree[1]
        if kind == 'name':
            return self.name(tree[1], row)
        if kind == 'arithmetic':
            return arithmetic(tree[1], self.value(tree[2], row), self.value(tree[3], row))
        if kind == 'and':
            return all_of([self.value(t, row) for t in tree[1]])
        if kind == 'or':
            return any_of([self.value(t, row) for t in tree[1]])
        if kind == 'not':
            return negated(self.value(tree[1], row))
        if kind == 'list':
            return [self.value(t, row) for t in tree[1]]
        if kind == 'compare':
            axis = tree[1][0][1] if tree[1][0][0] == 'name' else None
            sides = [self.value(tree[1][0], row)] + [self.beside(axis, t, row) for t in tree[1][1:]]
            return all_of([compare(s, a, b) for s, a, b in zip(tree[2], sides, sides[1:])])
        if kind == 'cell':
            return self.selected(tree[1], tree[2], row)
        if kind == 'least':
            return least([settled(self.value(t, row)) for t in tree[1]])
        return self.call(tree[1], tree[2], row)

    def differs(self, tree):
        """Whether a part may have another value in each row."""
        if tree[0] == 'name':
            return self.is_option(tree[1]) or self.is_column(tree[1])
        parts = [p for part in tree[1:] for p in (part if isinstance(part, list) else [part])]
        parts = [p[1] if tree[0] == 'cell' else p for p in parts if isinstance(p, tuple)]
        return not (tree[0] == 'call' and tree[1] in OF_ALL) and any(map(self.differs, parts))

    def beside(self, axis, tree, row):
        """Beside a name of an option a word that is one of its values is that value, even if an option has its name."""
        if tree[0] == 'list':
            return [self.beside(axis, t, row) for t in tree[1]]
        return tree[1] if tree[0] == 'name' and tree[1] in self.sweep.words.get(axis, ()) else self.value(tree, row)

    def selected(self, name, pairs, row):
        found = self.selection(pairs, row)
        if isinstance(found, Row):
            return self.column(name, found) if not self.is_option(name) else found.options.get(name, BLANK)
        return found

    def selection(self, pairs, row):
        wanted = [(n, self.beside(n, t, row)) for n, t in pairs]
        of_row = any((self.is_option(w) or self.is_column(w)) and w not in self.sweep.words.get(n, ())
                     for n, t in pairs for w in names_in(t))
        if not self.judging:
            rows = [(r, True) for r in self.results.shown]
        else:
            rows = [(r, True) for r in self.results.rows] if of_row else self.rows
        key = (tuple(n for n, _ in wanted), len(rows), of_row)
        if key not in self.known:
            self.known[key] = {}
            for r, m in rows:
                self.known[key].setdefault(tuple(exactly(self.name(n, r)) for n, _ in wanted), []).append((r, m))
        blank = any(w is BLANK for _, w in wanted)
        found = [] if blank else self.known[key].get(tuple(exactly(w) for _, w in wanted), [])
        if len(found) > 1:
            why = reasons(*[m for _, m in found])
            if not why and self.judging:
                raise Undefined('several rows')
            if not why:
                raise ValueError('several rows: %r' % (wanted,))
            return Unknown(*why)
        if not found and self.judging:
            raise Undefined('no row')
        if not found:
            self.read.add(Row(None, {}, None, {}))
            return BLANK
        return found[0][0] if found[0][1] is True else Unknown(*reasons(found[0][1]))

    def call(self, name, arguments, row):
        if name == 'published':
            return self.from_published(arguments, row)
        if name in SCALAR:
            return scalar(name, self.value(arguments[0], row))
        if name == 'or_else':
            first, literal = settled(self.value(arguments[0], row)), self.literal(arguments[1])
            if literal and isinstance(first, (Number, str)) and isinstance(first, Number) != isinstance(literal, Number):
                raise ValueError('values of two kinds: %r' % (arguments,))
            return settled(self.value(arguments[1], row)) if first is BLANK else first
        if name in ('crossing', 'crossing_y'):
            return self.crossing(name, arguments, row)
        if name not in OF_ALL:
            raise ValueError('no function ' + name)
        if name == 'count' and not all(any(map(self.is_named, names_in([t]))) or 'published' in t for t in arguments):
            raise ValueError('count of a constant: %r' % (arguments,))
        of_rows = any(map(self.is_named, names_in(arguments)))
        if len(arguments) > 1 and name not in OF_PAIRS and not (self.of_all and of_rows):
            return aggregate(name, [[(self.value(t, row), True) for t in arguments]])
        key = repr((name, arguments))
        if key not in self.known:
            lists = [[(self.value(t, r), certain) for r, certain in (self.rows if self.differs(t) else [(row, True)])]
                     for t in arguments]
            self.known[key] = aggregate(name, lists if name in OF_PAIRS else [sum(lists, [])])
        return self.known[key]

    def crossing(self, name, arguments, row):
        cases = [self.selection(a[2], row) for a in arguments[1:]]
        if not all(isinstance(c, Row) for c in cases):
            return BLANK
        curves = [read_curve(self.results.folder, c.key, arguments[0][1], a[1]) for c, a in zip(cases, arguments[1:])]
        why = reasons(*[self.column(arguments[0][1] + '_final', c) for c, curve in zip(cases, curves) if curve or c.status != 'ok'])
        if why and self.judging:
            return Unknown(*why)
        found = last_crossing(*curves) if all(curves) else None
        return number(found[name == 'crossing_y']) if found else BLANK

    def from_published(self, arguments, row):
        table = read_published(self.results.published, arguments[0][1])
        for _, name, tree in arguments[2:]:
            wanted = self.value(tree, row)
            table = [r for r in table if compare('==', typed(name, r[name]), wanted) is True]
        if len(table) > 1:
            raise ValueError('several published rows: %r' % (arguments,))
        return typed(arguments[1][1], table[0][arguments[1][1]]) if table else BLANK


# ----------------------------------------------------------------------------------------------------------- claims
def evaluate(results, claim, rows, without_noisy=False):
    """The truth of a claim over rows, and the evaluation that found it."""
    test, where = parsed(claim['test']), parsed(claim['where']) if claim.get('where') else None
    by_status = 'status' in set(names_in(test)) | set(names_in(where) if where else ())
    e = Evaluation(results, rows, True, by_status, without_noisy)
    members = [(r, truth(e.value(where, r)) if where else True) for r in rows]
    e.rows = [(r, m) for r, m in members if m is not False]
    e.read, e.known = set(), {}
    for r, _ in e.rows if where else ():
        e.value(where, r)
    found = all_of([any_of([negated(m), e.value(test, r)]) for r, m in e.rows])
    if found is True and not any(m is True for _, m in e.rows):
        found = Unknown(*reasons(*[m for _, m in e.rows]))
    return found, e


def verdict(results, claim):
    try:
        return judged(results, claim)
    except Undefined:
        return 'not tested'


def judged(results, claim):
    found, e = evaluate(results, claim, results.rows)
    if not e.rows:
        return 'not tested'
    against = 'contradicted' in claim
    places = {r.place() for r in e.timed if r.cells}
    if e.timed and len(places) > 1:
        return 'not tested'
    timed = [r for r in e.timed if r.cells]
    if any(r.lacks_gpu for r in timed):
        return 'not tested'
    if timed and (found is False or found is True and all(r.noisy for r in timed)):
        if evaluate(results, claim, results.rows, True)[0] is not found:
            return 'not tested'
    if isinstance(found, bool):
        if found:
            return 'no longer contradicted' if against else 'reproduced'
        return 'contradicted' if against else 'not reproduced'
    concerned = [r for r, _ in e.rows] + list(e.read)
    missing = any(not r.status or r.status in FAILURES for r in concerned)
    on_times = claim.get('kind') == 'time' or e.reads_times
    missing = missing or on_times and any(results.seldom(r) for r in concerned)
    if missing or found.why & {'absent', 'seldom', 'not counted'} or against:
        return 'not tested' + (', holds so far' if so_far(results, claim, e.rows) else '')
    if 'undefined' in found.why and 'failed' not in found.why:
        return 'not tested'
    return 'not reproduced'


def so_far(results, claim, about):
    """An undecided claim is true of the cases that are here, by times from fewer repetitions too, but no noisy ones, nor
    of several builds or machines, nor of a device that is not a GPU; and the others only have not run."""
    if any(r.status in FAILURES - {'interrupted'} for r, _ in about):
        return False
    here, requested = [r for r in results.rows if r.status and r.status != 'interrupted'], results.repetitions
    results.repetitions = 0
    try:
        found, e = evaluate(results, claim, here)
        timed = [r for r in e.timed if r.cells]
        return found is True and len({r.place() for r in timed}) < 2 and not any(r.noisy or r.lacks_gpu for r in timed)
    except Undefined:
        return False
    finally:
        results.repetitions = requested


# ------------------------------------------------------------------------------------------------------------ tables
WORDS = {None: 'n/a', '': 'not run', 'ok': 'ok', 'diverged': 'diverged', 'not_converged': 'not conv.',
         'not_spd': 'not SPD', 'oom': 'memory', 'contact_unresolved': 'contact', 'skipped': 'skipped', 'timeout': 'timeout', 'crashed': 'crashed',
         'error': 'error', 'interrupted': 'interrupted'}


def rank(results, axis):
    """Sorts values: numbers ascend; others have the order of the results, those of an axis of the file come first."""
    on_axis = {plain_text(text) for block in results.sweep.file['sweep'] for kind in ('grid', 'zip')
               for text in results.sweep.values(axis, block.get(kind, {}).get(axis, []))}
    order = {}
    for r in results.shown:
        order.setdefault(shown(r.options.get(axis, BLANK)), len(order))
    return lambda v: (1, v.low) if isinstance(v, Number) else (0, shown(v) not in on_axis, order[shown(v)])


def plain_text(value):
    return '[%s]' % ','.join(value) if isinstance(value, list) else value


def shown(v):
    return '' if v is BLANK else plain(v)


def axes_of(table):
    return table['rows'] if isinstance(table['rows'], list) else [table['rows']]


def selected_for(results, table):
    where = parsed(table['where']) if table.get('where') else None
    plainly = Evaluation(results, results.shown, False)
    return [r for r in results.shown if not where or truth(plainly.value(where, r)) is True]


def further_of(results, table):
    """The options that stand before the row axes: if these and the columns do not tell the cases apart, `method` if the
    line chose or added methods, and those that vary and that neither a block, nor an axis, nor a method of the file
    sets. If that is not enough, a request has also those of blocks and axes."""
    sweep, rows = results.sweep, selected_for(results, table)
    axes = axes_of(table) + ([table['columns']] if isinstance(table['columns'], str) else [])
    value = lambda r, n: repr(r.options.get(n, BLANK))
    distinct = lambda names: len({tuple(value(r, n) for n in names) for r in rows}) == len(rows)
    varying = [n for n in sorted({n for r in results.shown for n in r.options})
               if n not in axes and len({value(r, n) for r in results.shown}) > 1]
    if 'over' in table or distinct(axes):
        return []
    of_methods = {n for options in sweep.methods.values() for n in options}
    of_blocks = {n for block in sweep.file['sweep'] for part in ('defaults', 'grid', 'zip') for n in block.get(part) or {}}
    names = []
    for intended in [of_methods | of_blocks, of_methods][:1 + sweep.has_request]:
        names = [n for n in varying if n != 'method' and n not in intended]
        names += ['method'] if 'method' in varying and (sweep.set or sweep.added_methods) else []
        if distinct(axes + names):
            break
    return names


def table_of(results, table, further=()):
    """Heads of a pivot's columns and the lines of a table: values of the row axes, then (value, rows read). Further
    options, which the table does not name, stand before the row axes."""
    axes = [*further, *axes_of(table)]
    rows = selected_for(results, table)
    pivot = table['columns'] if isinstance(table['columns'], str) else None
    value = lambda r, a: r.options.get(a, BLANK)
    heads = sorted({repr(value(r, pivot)): value(r, pivot) for r in rows}.values(),
                   key=rank(results, pivot)) if pivot else []
    lines = {}
    for r in rows:
        alone = r.key if not pivot and 'over' not in table else None
        lines.setdefault((*(repr(value(r, a)) for a in axes), alone), []).append(r)
    order = [rank(results, a) for a in axes]
    out = []
    for group in sorted(lines.values(), key=lambda g: [f(value(g[0], a)) for f, a in zip(order, axes)]):
        line = [(value(group[0], a), []) for a in axes]
        if pivot:
            parts = [([r for r in group if repr(value(r, pivot)) == repr(h)], table['cell']) for h in heads]
        else:
            parts = [(group, c['value']) for c in table['columns']]
        out.append(line + [cell(results, table, part, parsed(text)) for part, text in parts])
    return heads, out


def cell(results, table, group, tree):
    if not group:
        return BLANK, []
    if len(group) > 1 and 'over' not in table:
        raise ValueError('%d cases share a cell of table %s: %s' % (len(group), table['id'], [r.key for r in group[:3]]))
    e = Evaluation(results, group, False)
    e.of_all = 'over' in table
    value = e.value(tree, group[0])
    return BLANK if any(r.key is None for r in e.read) else value, list(e.read) + group
