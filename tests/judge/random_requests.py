# SPDX-License-Identifier: GPL-3.0-or-later
"""Results directories that a random sequence of user actions makes: requests, additions, parts, edits, merges, kills."""
import hashlib
import json
import os
import random
import re
import shutil
import subprocess
import time

import random_claims

SETS = {'motion': [{'stiffness': ['50', '200']}, {'stiffness': ['50']}, {'substeps': ['8', '16']}, {'integrator': ['rk4']},
                   {'drag': ['0.1'], 'frames': ['4']}, {'method': ['b', 'a']}],
        'times': [{'stiffness': ['20']}, {'grid': ['5', '6']}, {'linear': ['panel']}, {'total_mass': ['1', '2']}],
        'zips': [{'substeps': ['8', '9']}, {'drag': ['0.1']}, {'stiffness': ['50', '70']}, {'integrator': ['rk4']}]}
MORE = {'motion': [('substeps', '8'), ('substeps', '16,32'), ('drag', '0.1'), ('drag', '0.30,0.2')],
        'times': [('grid', '5'), ('stiffness', '100,10')],
        'zips': [('substeps', '32,8'), ('substeps', '12'), ('drag', '0.05'), ('drag', '0,0.2'), ('method', 'a'), ('frames', '4')]}
METHODS = {'motion': [('m', {'integrator': 'rk4'}), ('n', {'integrator': 'symplectic_euler', 'nodes': '5'})],
           'times': [('m', {'linear': 'lu'})],
           'zips': [('m', {'integrator': 'rk4'}), ('n', {'integrator': 'velocity_verlet'})]}
FILTERS = {'motion': ['drag == 0', 'substeps < 64', 'method != a', 'method in [b, d]'], 'times': ['grid < 5', 'method == a'],
           'zips': ['substeps > 4', 'method == b']}
EDITS = {'motion': [('[4, 16, 64]', '[4, 16]'), ('[4, 16, 64]', '[16, 64, 8]'), ('drag: [0, 0.3]', 'drag: [0.3]'),
                    ('max_iterations: 5}', 'max_iterations: 6}'), ('b: {integrator: explicit_euler}', 'b: {integrator: rk4}'),
                    ('method: [a, b, c, d, e]', 'method: [a, b, d, e, m]')],
         'times': [('grid: [4, 6]', 'grid: [6, 5]'), ('repetitions: 3', 'repetitions: 2'), ('stiffness: 1000}', 'stiffness: 100}')],
         'zips': [('[4, 8, 16], drag: [0, 0.1, 0.2]', '[4, 8], drag: [0, 0.2]'), ('substeps: [16, 64]', 'substeps: [16, 32]'),
                  ('defaults: {stiffness: 200}', 'defaults: {stiffness: 300}')]}
MADE_METHODS = {'motion': ', m: {integrator: rk4}', 'times': '', 'zips': ''}


class Refused(Exception):
    """A command ended with status 2."""


def contents(folder):
    """A digest of each file of a folder."""
    found = {}
    for place, _, files in os.walk(folder):
        for name in files:
            path = os.path.join(place, name)
            with open(path, 'rb') as f:
                found[os.path.relpath(path, folder)] = hashlib.sha256(f.read()).hexdigest()
    return found


class World:
    """A sweep file and its results directories, and what line made each of them."""
    def __init__(self, program, folder, kind, seed, compare, fault):
        self.program, self.folder, self.kind, self.seed = program, folder, kind, seed
        self.random, self.compare, self.fault = random.Random('%s %d' % (kind, seed)), compare, fault
        self.text, self.requests, self.log, self.count = None, {}, [], 0
        self.file, self.plain = self.path(kind + '.yaml'), random_claims.KINDS[kind][0]
        if kind == 'times':
            self.plain = self.plain.replace('[a, b, c, d]', '[a, c]').replace('[4, 6, 8]', '[4, 6]').replace('[10, 1000]', '1000')
        self.write(self.plain)

    # -- files and commands
    def path(self, name):
        return os.path.join(self.folder, name)

    def fresh(self):
        self.count += 1
        return 'd%d' % self.count

    def write(self, text, path=None):
        """Writes a sweep with random claims."""
        self.count += 1
        random_claims.write_claims(self.program, path or self.file, self.kind, self.seed + self.count, 25, text)
        if not path:
            self.text = text

    def call(self, *line, allowed=(0, 1, 3, 7)):
        self.log.append(' '.join("'%s'" % w if ' ' in w else w for w in line))
        done = subprocess.run([self.program, *line], cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              encoding='utf-8', check=False)
        if done.returncode == 2:
            raise Refused(done.stderr)
        if done.returncode not in allowed:
            self.fault(self, '%s ended with %d: %s' % (line[0], done.returncode, done.stderr[-600:]))

    def run(self, name, set_=None, more=(), methods=(), options=(), source=None):
        """Runs the sweep file with the request of a directory (or another one) and additions."""
        set_ = self.requests.get(name, {}) if set_ is None else set_
        line = ['run', source or os.path.basename(self.file), '-o', name, '--progress', 'none', *options]
        for key, values in set_.items() if not source else ():
            line += ['-p', '%s=%s' % (key, ','.join(values))]
        for key, values in more:
            line += ['-p', '%s+=%s' % (key, values)]
        for method, given in methods:
            line += ['--method', '%s: {%s}' % (method, ', '.join('%s: %s' % pair for pair in given.items()))]
        self.call(*line)
        self.requests[name] = set_

    def refused(self, code, name, action):
        """Does what must be refused and leave the directory as it is."""
        before = contents(self.path(name))
        try:
            action()
        except Refused as e:
            if '[%s]' % code not in str(e):
                self.fault(self, 'refused, but not by %s: %s' % (code, e))
        else:
            self.fault(self, 'not refused by ' + code)
        if contents(self.path(name)) != before:
            self.fault(self, 'what was refused has changed the directory')

    # -- choices
    def additions(self, set_):
        """Further values of axes that a request has, and methods."""
        more = [m for m in MORE[self.kind] if self.random.random() < 0.4]
        if 'method' in set_ or 'integrator' in set_:
            more = [m for m in more if m[0] != 'method']
        return more, [m for m in METHODS[self.kind] if self.random.random() < 0.3]

    def part(self):
        options = [[], [], ['--quick'], ['-f', self.random.choice(FILTERS[self.kind])], ['--shard', '1/2']]
        return self.random.choice(options + ([['-r', '2'], ['-r', '4']] if self.kind == 'times' else []))

    def made(self, wanted=lambda set_: True):
        """A directory of such a request; a fresh one, if there is none."""
        names = [n for n, s in self.requests.items() if wanted(s)]
        if names and self.random.random() < 0.7:
            return self.random.choice(names)
        name, sets = self.fresh(), [s for s in [{}, {}, *SETS[self.kind]] if wanted(s)]
        self.run(name, self.random.choice(sets), options=self.part())
        self.compare(self, name)
        return name

    def copied(self, name):
        copy = self.fresh()
        shutil.copytree(self.path(name), self.path(copy))
        self.requests[copy] = self.requests[name]
        return copy

    # -- actions
    def part_and_whole(self):
        name = self.fresh()
        self.run(name, self.random.choice([{}, *SETS[self.kind]]), options=self.part())
        self.compare(self, name)
        self.run(name, options=self.part())
        self.compare(self, name)

    def add(self):
        name = self.made()
        more, methods = self.additions(self.requests[name])
        source = self.random.choice([None, name, name + '/sweep.yaml'])
        self.run(name, more=more, methods=methods, source=source, options=self.part())
        self.compare(self, name)
        self.kept(name, more, methods)
        self.run(name, options=self.part())
        self.compare(self, name)
        self.kept(name, more, methods)

    def kept(self, name, more, methods):
        """The directory remembers its request, and what was added."""
        request, set_ = self.request(name), self.requests[name]
        if request.get('set', {}) != set_:
            self.fault(self, '%s: request.json sets %s, not %s' % (name, request.get('set'), set_))
        for method, options in methods:
            if method + ': {' not in self.text and request.get('methods', {}).get(method) != options:
                self.fault(self, '%s: request.json has methods %s, not %s' % (name, request.get('methods'), method))
        for key, values in more:
            known = [float(v) for v in request.get('more', {}).get(key, []) if re.match(r'[\d.]', v)]
            known += [float(v) for v in set_.get(key, []) if re.match(r'[\d.]', v)]
            text = self.text.split('sweep:')[1]
            there = lambda v: re.search(r'%s: \[[^\]]*\b%s[,\]]' % (key, re.escape(v.rstrip('0') or v)), text)
            for v in values.split(',') if key != 'method' else ():
                if float(v) not in known and not there(v):
                    self.fault(self, '%s: request.json has %s of %s, not %s' % (name, known, key, v))

    def request(self, name):
        path = self.path(name + '/request.json')
        if not os.path.exists(path):
            return {}
        with open(path, encoding='utf-8') as f:
            return json.load(f)

    def refuse(self):
        name = self.made()
        set_ = self.requests[name]
        other = self.random.choice([s for s in [{}, *SETS[self.kind]] if s != set_])
        self.refused('E114', name, lambda: self.run(name, other))
        self.requests[name] = set_
        self.refused('E106', name, lambda: self.run(name, methods=[('a', {'integrator': 'rk4'})]))
        self.refused('E106', name, lambda: self.run(name, more=[('gravity', '[0,-2,0]')]))
        if self.request(name).get('methods'):
            method = sorted(self.request(name)['methods'])[0]
            if method + ': {' not in self.text:
                self.refused('E106', name, lambda: self.run(name, methods=[(method, {'integrator': 'bdf2'})]))
        self.requests[name] = set_
        others = [n for n, s in self.requests.items() if s != set_]
        if others:
            self.refused('E114', name, lambda: self.call('merge', name, self.random.choice(others), '--prefer', 'first'))
        self.compare(self, name)

    def replace(self):
        name = self.made()
        before, more, methods = self.requests[name], *self.additions({})
        other = self.random.choice([s for s in [{}, *SETS[self.kind]] if s != before])
        self.run(name, other, options=['--replace', *self.part()])
        self.compare(self, name)
        self.kept(name, (), ())
        if self.random.random() < 0.6:
            self.run(name, before, more=more, methods=methods, options=['--replace', *self.part()])
            self.compare(self, name)
            self.kept(name, more, methods)

    def edited(self, text):
        old, new = self.random.choice([e for e in EDITS[self.kind] if e[0] in text])
        text = text.replace(old, new)
        if 'e, m]' in text and ', m: {' not in text:
            text = text.replace('max_iterations: 50}}', 'max_iterations: 50}%s}' % MADE_METHODS[self.kind])
        return text

    def edit(self):
        """Edits the sweep file, or the copy in the directory, which is judged before it is run and after."""
        name = self.made()
        text = self.edited(self.plain)
        if self.random.random() < 0.5:
            self.log.append('edit %s/sweep.yaml' % name)
            self.write(text, self.path(name + '/sweep.yaml'))
            self.compare(self, name, stale=True)
            self.run(name, source=self.random.choice([name, name + '/sweep.yaml']), options=self.part())
        else:
            self.log.append('edit ' + self.file)
            self.write(text)
            self.run(name, options=self.part())
        self.compare(self, name)

    def merge_shards(self):
        set_ = self.random.choice([{}, *SETS[self.kind]])
        more, methods = self.additions(set_)
        parts = [self.fresh(), self.fresh()]
        for i, part in enumerate(parts):
            self.run(part, set_, more, methods, ['--shard', '%d/2' % (i + 1)])
        self.merged(parts)

    def merged(self, parts):
        out = self.fresh()
        self.call('merge', out, *parts, '--prefer', 'first')
        self.requests[out] = self.requests[parts[0]]
        self.compare(self, out)
        self.kept(out, (), ())

    def merge_widened(self):
        """A directory and another one of the same file with additions, in either order, and into the first."""
        set_ = self.random.choice([{}, {}, *SETS[self.kind]])
        narrow, wide = self.fresh(), self.fresh()
        more, methods = self.additions(set_)
        self.run(narrow, set_, options=self.part())
        self.run(wide, set_, more, methods, self.part())
        parts = self.random.sample([narrow, wide], 2)
        self.merged(parts)
        self.call('merge', *parts, '--prefer', 'first')
        self.compare(self, parts[0])
        self.kept(parts[0], more, methods)

    def old_style(self):
        """A plan of an earlier version, which has cases of another request beside the sweep's own."""
        name, other = self.made(lambda set_: not set_), self.made(lambda set_: set_)
        copy = self.copied(name)
        self.log.append('add the cases of %s to the plan of %s' % (other, copy))
        plans = []
        for folder in (copy, other):
            with open(self.path(folder + '/plan.json'), encoding='utf-8') as f:
                plans.append(json.load(f))
        known = {c['key'] for c in plans[0]['cases']}
        plans[0]['cases'] += [c for c in plans[1]['cases'] if c['key'] not in known]
        plans[0].pop('check', None)
        with open(self.path(copy + '/plan.json'), 'w', encoding='utf-8') as f:
            json.dump(plans[0], f)
        with open(self.path(other + '/journal.jsonl'), encoding='utf-8') as f:
            lines = [line for line in f if '"event":"publish"' in line and json.loads(line)['key'] not in known]
        with open(self.path(copy + '/journal.jsonl'), 'a', encoding='utf-8') as f:
            f.writelines(lines)
        for line in lines:
            case = json.loads(line)['file']
            if os.path.exists(self.path(other + '/' + case)):
                shutil.copy(self.path(other + '/' + case), self.path(copy + '/' + case))
        self.compare(self, copy, stale=True)
        self.run(copy, options=self.part())
        self.compare(self, copy)

    def killed(self):
        """A run that was killed after it wrote the request and the sweep file, and before it wrote the plan."""
        name = self.made()
        done = self.copied(name)
        if self.random.random() < 0.5:
            more, methods = self.additions(self.requests[done])
            self.run(done, more=more, methods=methods)
        else:
            sets = [s for s in [{}, *SETS[self.kind]] if s != self.requests[done]]
            self.run(done, self.random.choice(sets), options=['--replace'])
        copy = self.copied(name)
        self.log.append('take request.json of %s to %s' % (done, copy))
        for file in ('request.json', 'sweep.yaml'):
            if os.path.exists(self.path(copy + '/' + file)):
                os.remove(self.path(copy + '/' + file))
            if os.path.exists(self.path(done + '/' + file)):
                shutil.copy(self.path(done + '/' + file), self.path(copy + '/' + file))
        self.requests[copy] = self.requests[done]
        self.compare(self, copy, stale=True)
        self.run(copy, options=self.part())
        self.compare(self, copy)

    ACTIONS = (part_and_whole, add, refuse, replace, edit, merge_shards, merge_widened, old_style, killed)

    def live(self, steps, seconds):
        """Some actions, each of them once before any is done again. None begins after so many seconds."""
        todo, begin = [], time.monotonic()
        for _ in range(steps):
            if time.monotonic() - begin > seconds:
                return
            todo = todo or self.random.sample(self.ACTIONS, len(self.ACTIONS))
            action = todo.pop()
            self.log.append('# ' + action.__name__)
            try:
                action(self)
            except Refused as e:
                self.fault(self, 'refused: %s' % e)
                self.requests = {n: s for n, s in self.requests.items() if os.path.exists(self.path(n + '/plan.json'))}
