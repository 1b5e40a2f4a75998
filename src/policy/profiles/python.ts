/**
 * Python. Not listed: code in arguments (`-c`), other settings and folders (`--path`, `-X`), and what a project can replace: `python -m
 * pip` loads a folder `pip` of the working folder.
 */
import { all, type Family, names, subcommands } from './family.ts';

const ADD = {
  class: 'network',
  flags: names('-U -q -e --upgrade --user --quiet --no-deps --no-input'),
  valued: all('in', '-r --requirement'),
  operands: ['text*'],
} as const;
/** Tools that load settings, plugins or tests of the project. */
const TOOLS = 'mypy pyright flake8 pylint black isort tox nox pre-commit coverage bandit';

export const PYTHON: Family = {
  title: 'Python',
  read: 'CPython 3.9 to 3.13, pip 23 and 24, pytest 8, ruff 0.6, uv 0.4',
  programs: {
    // Without a file it reads code from its input, which is closed.
    python3: {
      grammar: 'posix',
      class: 'project',
      flags: names('-V --version -B -E -I -O -q -s -S -u'),
      valued: { '-W': 'text', '-m': 'module' },
      classWith: { '-V': 'read', '--version': 'read', '-m': 'project' },
      operands: ['in', 'text*'],
      operandsWith: { '-m': ['text*'] },
      pass: ['python3 --version', 'python3 -V'],
      ask: [
        'python3 a.py',
        'python3 -c 1',
        'python3 -Bc 1',
        'python3 -m pytest',
        'python3 -m pip list',
        'python3 -Vm pip',
        'python3 -i a.py',
        'python3 -X importtime a.py',
        'python3 --vers',
        'python3 -x a.py',
      ],
    },
    pip3: {
      grammar: 'getopt',
      class: 'project',
      terminal: 'safe',
      flags: names('-V --version --disable-pip-version-check --no-color --no-input'),
      requires: names('-V --version'),
      classWith: { '-V': 'read', '--version': 'read' },
      subcommands: {
        list: {
          class: 'read',
          flags: names(
            '-l -e -v --local --user --editable --not-required --exclude-editable --disable-pip-version-check',
          ),
          valued: { '--format': 'enum columns freeze json', '--exclude': 'text' },
          operands: [],
        },
        show: { class: 'read', flags: names('-f -v --files --verbose'), operands: ['text*'] },
        freeze: { class: 'read', flags: names('-l --local --user --all --exclude-editable'), operands: [] },
        check: { class: 'read', operands: [] },
        'index versions': { class: 'network', operands: ['text'] },
        ...subcommands('install uninstall download wheel', ADD),
      },
      pass: [
        'pip3 --version',
        'pip3 list',
        'pip3 list --format=json',
        'pip3 show -f requests',
        'pip3 freeze',
        'pip3 check',
      ],
      ask: [
        'pip3',
        'pip3 install x',
        'pip3 install -r requirements.txt',
        'pip3 list --outdated',
        'pip3 list --path /root',
        'pip3 list --form=json',
        'pip3 --python x list',
        'pip3 freeze -r /etc/shadow',
        'pip3 config set a b',
        'pip3 list --log=x',
      ],
    },
    pytest: {
      grammar: 'getopt',
      class: 'project',
      flags: names(
        '-q -v -vv -s -x -l -h --version --exitfirst --verbose --quiet --lf --ff --nf --sw --last-failed --failed-first --stepwise --collect-only --co --no-header --no-summary --showlocals --strict-markers --no-cov',
      ),
      valued: { ...all('text', '-k -m --durations --color'), ...all('num', '--maxfail -n') },
      optional: { '--tb': 'enum auto long short line native no' },
      operands: ['text*'],
      pass: [],
      ask: [
        'pytest',
        'pytest --version',
        'pytest -p x',
        'pytest -c x.ini',
        'pytest --rootdir=x',
        'pytest --basetemp=src',
        'pytest -o x=y',
      ],
    },
    // It reads settings of the project, and runs no code of it. `format` and `--fix` write.
    ruff: {
      grammar: 'getopt',
      class: 'project',
      flags: names('-V --version'),
      requires: names('-V --version'),
      subcommands: {
        check: {
          flags: names('-q -v --quiet --verbose --no-cache --statistics --show-fixes --diff'),
          valued: { '--select': 'text', '--ignore': 'text', '--output-format': 'enum concise full json github' },
          operands: ['in*'],
        },
        format: { flags: names('--check --diff -q --quiet'), requires: names('--check --diff'), operands: ['in*'] },
      },
      pass: [],
      ask: [
        'ruff check .',
        'ruff check --fix .',
        'ruff check --config=x .',
        'ruff format .',
        'ruff format --diff /etc',
      ],
    },
    uv: {
      grammar: 'getopt',
      class: 'project',
      flags: names('-V --version -q --quiet'),
      requires: names('-V --version'),
      classWith: { '-V': 'read', '--version': 'read' },
      subcommands: {
        run: { grammar: 'posix', operands: ['text*'] },
        ...subcommands('sync lock add remove', {
          class: 'network',
          flags: names('--frozen --locked --dev --offline'),
          operands: ['text*'],
        }),
        'pip list': { operands: [] },
        'pip show': { operands: ['text*'] },
        'pip install': ADD,
      },
      pass: ['uv --version', 'uv -V'],
      ask: [
        'uv run x',
        'uv sync',
        'uv --directory x --version',
        'uv pip install x',
        'uv pip list',
        'uv tool run x',
        'uv --vers',
      ],
    },
    ...Object.fromEntries(
      names(TOOLS).map((name) => [
        name,
        {
          grammar: 'getopt',
          class: 'project',
          flags: names('--version -v -q --check'),
          operands: ['text*'],
          pass: [],
          ask: [`${name} --version`, `${name} src`, `${name} --config=x`],
        } as const,
      ]),
    ),
  },
  aliases: { python: 'python3', pip: 'pip3' },
};
