# SPDX-License-Identifier: GPL-3.0-or-later
"""Random claims on results with refused, missing and diverged cases, and with times that were taken too seldom."""
import os
import random
import re
import subprocess

HEAD = '''springbench: 1
name: %s
topic: 1 Ropes
question: Do both judges agree?
source: tests/judge/random_claims.py
'''
MOTION = HEAD % 'motion' + '''driver: trajectory
timed: false
skip_refused: true
defaults: {scene: rope, nodes: 4, stiffness: 100, frames: 6, frame_seconds: 1}
methods: {a: {integrator: symplectic_euler}, b: {integrator: explicit_euler}, c: {integrator: position_verlet},
          d: {integrator: implicit_euler, minimizer: newton, max_iterations: 5},
          e: {integrator: implicit_euler, minimizer: newton, max_iterations: 50}}
sweep:
  - grid: {method: [a, b, c, d, e], substeps: [4, 16, 64], drag: [0, 0.3]}
tables: [{id: energy, title: Energy, rows: [method, substeps], columns: drag, cell: energy_max}]
'''
TIMES = HEAD % 'times' + '''driver: timing
repetitions: 3
defaults: {scene: cloth, integrator: implicit_euler, stiffness: 1000, total_mass: 1, h: 0.01, duration: 0.05, save: none}
methods: {a: {linear: panel}, b: {linear: cholesky}, c: {integrator: symplectic_euler}, d: {integrator: symplectic_euler, device: host}}
quick: {grid: [4]}
sweep:
  - grid: {method: [a, b, c, d], grid: [4, 6, 8], stiffness: [10, 1000]}
tables: [{id: step, title: Step, rows: [method, stiffness], columns: grid, cell: 1000 * step_median_s}]
'''
ZIPS = HEAD % 'zips' + '''driver: trajectory
timed: false
defaults: {scene: rope, nodes: 4, stiffness: 100, frames: 6, frame_seconds: 1}
methods: {a: {integrator: symplectic_euler}, b: {integrator: explicit_euler}}
sweep:
  - zip: {substeps: [4, 8, 16], drag: [0, 0.1, 0.2], method: b}
  - grid: {method: [a, b], substeps: [16, 64], frames: 6}
  - defaults: {stiffness: 200}
    grid: {substeps: 5, method: b}
tables: [{id: energy, title: Energy, rows: [method, stiffness, substeps], columns: drag, cell: energy_max},
         {id: all, title: All, rows: substeps, columns: [{label: energy, value: energy_max}, {label: steps, value: steps_done}]},
         {id: best, title: Best, rows: drag, columns: method, cell: energy_max, where: substeps == 16 and stiffness < 200}]
'''
KINDS = {
    'motion': (MOTION, [['-x', 'method == a and substeps == 16']],
               ['energy_max', 'energy_final', 'settle_time', 'steps_done', 'end_time', 'energy_start', 'fall_time',
                'strain_max', 'substeps', 'drag', 'hang_time', 'max_iterations'],
               ['method=a, substeps=substeps, drag=drag', 'method=method, substeps=64, drag=drag',
                'method=b, substeps=64, drag=0', 'method=b, substeps=16, drag=0.3'],
               ['method == a', 'method == b', 'method != c', 'substeps == 64', 'drag > 0', 'energy_max < 1000',
                'settle_time > 0', 'integrator ~ euler', 'steps_done > 50', 'end_time < 6', 'reason ~ step', 'max_iterations > 1',
                'energy_max <= energy_max[method=b, substeps=substeps, drag=drag]',
                'energy_max < 1000 and method != a', 'energy_max < 1000 or method in [a, d]']),
    'zips': (ZIPS, [['-f', 'substeps != 8'], []],
             ['energy_max', 'energy_final', 'settle_time', 'steps_done', 'end_time', 'substeps', 'drag', 'stiffness'],
             ['method=b, substeps=substeps, drag=drag, stiffness=stiffness', 'method=method, substeps=16, drag=0', 'substeps=64, method=a',
              'method=b, substeps=16, drag=0.2'],
             ['method == a', 'method == b', 'substeps == 16', 'drag > 0', 'stiffness == 200', 'energy_max < 1000',
              'steps_done > 50', 'integrator ~ symp', 'reason ~ step', 'energy_max < 1000 or method == a',
              'drag == 0 and stiffness == 100']),
    'times': (TIMES, [['--quick'], ['-f', 'grid == 6'], ['-f', 'grid == 8 and method == a', '-r', '2']],
              ['step_median_s', 'vertices', 'minimizer_iterations_mean', 'solve_s', 'grid', 'step_min_s', 'contact_s',
               'residual_worst', 'linear_iterations_mean', 'steps_done'],
              ['method=b, grid=grid, stiffness=stiffness', 'method=method, grid=6, stiffness=10',
               'method=c, grid=6, stiffness=1000'],
              ['method == a', 'method != c', 'grid == 4', 'stiffness == 10', 'grid < 8', 'method == c', 'method == d',
               'step_median_s > 0', 'minimizer_iterations_mean > 1', 'steps_done > 3',
               'step_median_s < step_median_s[method=b, grid=grid, stiffness=stiffness]',
               'solve_s > 1e-6 and method != b'])}
WORDS = ['accuracy_ok', 'not accuracy_ok', 'accuracy_ok == false', 'or_else(accuracy_ok, true)',
         'or_else(minimizer, none) == none', 'or_else(reason, none) ~ one', 'count(status) > count(reason)']
STATUS = ['status == ok', 'status != ok', 'not broke_off', 'broke_off', 'status in [ok, not_converged]']


class Writer:
    """Writes expressions over some columns."""
    def __init__(self, seed, columns, selections):
        self.random, self.columns, self.selections = random.Random(seed), columns, selections

    def number(self, depth=2):
        pick, x = self.random.choice, self.random.random()
        if depth == 0 or x < 0.4:
            return pick(self.columns) if self.random.random() < 0.75 else pick(['0', '1', '2', '800', '64', '0.5', '1e3'])
        one, two = self.number(depth - 1), self.number(depth - 1)
        if x < 0.6:
            return '(%s %s %s)' % (one, pick('+-*/^'), two)
        if x < 0.7:
            return '%s(%s)' % (pick(['abs', 'log', 'sqrt', 'exp', 'sin']), one)
        if x < 0.8:
            return '%s(%s)' % (pick(['min', 'max', 'median', 'mean', 'count', 'lower_quartile', 'upper_quartile']),
                               pick(self.columns + ['abs(%s)' % pick(self.columns), 'or_else(%s, 1)' % pick(self.columns)]))
        if x < 0.82:
            return '%s(%s, %s)' % (pick(['min', 'max', 'median', 'mean', 'count', 'lower_quartile', 'upper_quartile']),
                                   pick(self.columns), pick(self.columns))
        if x < 0.85:
            return '%s(%s, %s)' % (pick(['slope', 'rank_correlation']), pick(self.columns), pick(self.columns))
        if x < 0.95:
            return '%s(%s, %s)' % (pick(['min', 'max', 'or_else']), one, two)
        column, selection = pick(self.columns), pick(self.selections)
        if x > 0.975:  # the least of it and others
            name, value = selection.split(', ')[0].split('=')
            others = {'a', 'b', value} if name == 'method' else {value}
            selection = selection.replace('%s=%s' % (name, value), '%s in [%s]' % (name, ', '.join(sorted(others))), 1)
        return '%s[%s]' % (column, selection)

    def condition(self, depth=2):
        pick, x = self.random.choice, self.random.random()
        if depth == 0 or x < 0.6:
            if self.random.random() < 0.12:
                return pick(STATUS + WORDS)
            return '%s %s %s' % (self.number(), pick(['<', '<=', '>', '>=', '==', '!=']), self.number())
        word = 'and' if x < 0.8 else 'or'
        both = '(%s %s %s)' % (self.condition(depth - 1), word, self.condition(depth - 1))
        return both if x < 0.92 else 'not ' + both


def claims(writer, wheres, count):
    for i in range(count):
        lines = ['  - claim: number %d' % i, '    kind: %s' % writer.random.choice(['shape', 'shape', 'shape', 'time']),
                 '    test: "%s"' % writer.condition()]
        if writer.random.random() < 0.8:
            lines.append('    where: "%s"' % writer.random.choice(wheres + STATUS))
        if writer.random.random() < 0.15:
            lines.append('    contradicted: by chance')
        yield lines


def results(program, folder, kind, seed=1, count=400):
    """Runs a sweep, and gives it claims that `check` does not refuse. Returns the results directory."""
    text, runs = KINDS[kind][:2]
    place, first = os.path.join(folder, kind), os.path.join(folder, kind + '.yaml')
    with open(first, 'w', encoding='utf-8') as f:
        f.write(text)
    for options in runs:
        file = first if not os.path.exists(place) else os.path.join(place, 'sweep.yaml')
        subprocess.run([program, 'run', file, '-o', place, '--progress', 'none', *options], stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL, check=True)
    write_claims(program, os.path.join(place, 'sweep.yaml'), kind, seed, count)
    return place


def write_claims(program, file, kind, seed, count, text=None, findings=()):
    """Writes a sweep file, or this edited text of it, with random claims that `check` does not refuse. Each answers one
    of the findings, if there are any."""
    _, _, columns, selections, wheres = KINDS[kind]
    text = text or KINDS[kind][0]
    found = list(claims(Writer(seed, columns, selections), wheres, count))
    for lines, finding in zip(found, findings):
        lines[1:] = ['    kind: shape', '    finding: ' + finding, *[t for t in lines[2:] if 'contradicted' not in t]]
    while True:
        with open(file, 'w', encoding='utf-8') as f:
            f.write(text + 'expect:\n' + '\n'.join('\n'.join(lines) for lines in found) + '\n')
        checked = subprocess.run([program, 'check', file], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                 encoding='utf-8', check=False)
        refused = {int(n) for n in re.findall(r'\.yaml:(\d+):\d+: error', checked.stderr)}
        if not refused:
            return
        at, kept = text.count('\n') + 2, []
        for lines in found:
            if not refused & set(range(at, at + len(lines))):
                kept.append(lines)
            at += len(lines)
        found = kept
