import { describe, expect, it } from 'vitest';
import { readExecArguments } from '../../../../src/apps/cli/exec/args.ts';
import { faultOf } from '../../../support/fault.ts';

const PLAIN = { json: false, wait: false, raw: false, quiet: false };

describe('the arguments of exec', () => {
  it.each([
    [['--', 'ls', '-l'], { request: { command: 'ls -l' } }],
    [['ls', '--help'], { request: { command: 'ls --help' } }],
    [['ls', '--', '--json'], { request: { command: 'ls -- --json' } }],
    [['-c', 'ls | wc -l'], { request: { command: 'ls | wc -l' } }],
    [['--command=a b'], { request: { command: 'a b' } }],
    [['--', 'ls | wc'], { request: { command: "'ls | wc'" }, singleArgument: 'ls | wc' }],
    [
      ['--env', 'A=1', '--env', 'B=x=y', '--env=C=', '--', 'env'],
      { request: { command: 'env', env: { A: '1', B: 'x=y', C: '' } } },
    ],
    [['--timeout', '1.5', '--yield', '100', 'a'], { request: { command: 'a', timeout: 1.5, yieldMs: 100 } }],
    [
      ['--pty', '--background', '--elevated', 'a'],
      { request: { command: 'a', background: true, pty: true, elevated: true } },
    ],
    [['--no-pty', 'a'], { request: { command: 'a', pty: false } }],
    [
      ['--host', 'gateway', '--security', 'allowlist', '--ask', 'always', '--node', 'n', '--workdir', 'd', 'a'],
      { request: { command: 'a', host: 'gateway', security: 'allowlist', ask: 'always', node: 'n', workdir: 'd' } },
    ],
    [['--agent', 'x', '--conversation', 'c', 'a'], { request: { command: 'a' }, agent: 'x', conversation: 'c' }],
    [['--json', '--wait', 'a'], { request: { command: 'a' }, json: true, wait: true }],
    [['-q', '--raw', 'a', '-q'], { request: { command: 'a -q' }, quiet: true, raw: true }],
  ])('%j', (argv, read) => {
    expect(readExecArguments(argv)).toEqual({ ...PLAIN, ...read });
  });

  it.each([['--help'], ['-h'], ['--json', '--help', 'ls']])('%s asks for help', (...argv) => {
    expect(readExecArguments(argv)).toBe('help');
  });

  it.each([
    [[], 'exec: the command is missing'],
    [['--'], 'exec: the command is missing'],
    [['-c', 'a', 'b'], 'exec: a command is given twice: with -c and as arguments'],
    [['-c'], 'exec: -c needs a value'],
    [['-x', 'ls'], 'exec: unknown option -x'],
    [['--pty=1', 'ls'], 'exec: --pty takes no value'],
    [['--workdir', '', 'ls'], 'exec: --workdir needs a value'],
    [['--workdir', 'a', '--workdir', 'b', 'ls'], 'exec: --workdir is given twice'],
    [['--env', 'A', 'ls'], 'exec: --env must be NAME=VALUE, not "A"'],
    [['--env', '=A', 'ls'], 'exec: --env must be NAME=VALUE, not "=A"'],
    [['--timeout', '-1', 'ls'], 'exec: --timeout must be a number of at least 0, not "-1"'],
    [['--timeout', '1e3', 'ls'], 'exec: --timeout must be a number of at least 0, not "1e3"'],
    [['--host', 'moon', 'ls'], 'exec: --host must be sandbox, gateway, node, not "moon"'],
    [['--pty', '--no-pty', 'ls'], 'exec: --pty and --no-pty exclude each other'],
    [['--background', '--yield', '5', 'ls'], 'exec: --background and --yield exclude each other'],
  ])('%j is refused', (argv, message) => {
    expect(faultOf(() => readExecArguments(argv))).toMatchObject({ code: 'USAGE_ARGUMENTS', message });
  });
});
