import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { clock, disk, limits } from '../../../../src/apps/cli/doctor/checks/machine.ts';
import { node } from '../../../../src/apps/cli/doctor/checks/node.ts';
import { database, packages } from '../../../../src/apps/cli/doctor/checks/packages.ts';
import { path, shell } from '../../../../src/apps/cli/doctor/checks/shell.ts';
import { privateFiles, state } from '../../../../src/apps/cli/doctor/checks/state.ts';
import { terminal } from '../../../../src/apps/cli/doctor/checks/terminal.ts';
import { runChecks } from '../../../../src/apps/cli/doctor/run-checks.ts';
import { doctorContext, resultsOf } from './context.ts';

const PACKAGED = join(import.meta.dirname, '..', '..', '..', '..', 'dist', 'pincer.cjs');
const modeOf = (file: string): number => statSync(file).mode & 0o777;

describe('node', () => {
  const day = (text: string): number => Date.parse(`${text}T12:00:00Z`);
  it.each([
    ['20.18.1', '2026-01-01', 'fail', 'Node 20.18.1 is older than 20.19'],
    ['18.20.0', '2026-01-01', 'fail', 'Node 18.20.0 is older than 20.19'],
    ['20.20.2', '2026-04-30', 'ok', 'Node 20.20.2, supported until 2026-04-30'],
    [
      '20.20.2',
      '2026-05-01',
      'warn',
      'Node 20.20.2 works, but is past its end of life (2026-04-30): it gets no security fixes',
    ],
    ['24.0.0', '2026-11-16', 'ok', 'Node 24.0.0, supported until 2028-04-30'],
    ['23.1.0', '2026-11-16', 'warn', 'Node 23.1.0 is not an LTS release'],
    ['28.0.0', '2028-11-16', 'ok', 'Node 28.0.0'],
  ])('%s on %s: %s', async (version, date, status, message) => {
    expect(await resultsOf(node, doctorContext({ node: version, now: day(date) }))).toEqual([
      expect.objectContaining({ id: 'node', status, message }),
    ]);
  });

  it('names the lines that are looked after on that day', async () => {
    const at = async (date: string) =>
      (await resultsOf(node, doctorContext({ node: '20.20.2', now: day(date) })))[0]?.fix;
    expect([await at('2026-11-16'), await at('2028-12-01'), await at('2040-01-01')]).toEqual([
      'install Node 22, 24 or 26',
      'install Node 26',
      'install Node in a supported LTS version',
    ]);
  });
});

describe('packages, database and terminal', () => {
  it('load from the built program', async () => {
    const one = doctorContext({ program: PACKAGED });
    expect(await resultsOf(packages, one)).toEqual(
      ['@lydell/node-pty', '@xterm/headless', 'sharp'].map((name) => ({
        id: 'packages',
        status: 'ok',
        message: `${name} loads`,
      })),
    );
    expect(await resultsOf(database, one)).toEqual([
      { id: 'database', status: 'ok', message: expect.stringMatching(/^(?:libsql|node:sqlite) answers: SQLite 3\./u) },
    ]);
    expect(await resultsOf(terminal, one)).toEqual([
      { id: 'terminal', status: 'ok', message: 'a command in a new terminal gets the right size' },
    ]);
  });

  it('warn if they are not installed, and name what does not work without them', async () => {
    const one = doctorContext();
    expect((await resultsOf(packages, one))[2]).toEqual({
      id: 'packages',
      status: 'warn',
      message: 'sharp is not installed: read cannot show images',
      fix: 'npm install sharp next to pincer',
    });
    expect(await resultsOf(terminal, one)).toEqual([
      { id: 'terminal', status: 'skip', message: '@lydell/node-pty is not installed' },
    ]);
  });

  it('that break while they load are quoted', async () => {
    const one = doctorContext();
    mkdirSync(join(one.home, 'node_modules', 'sharp'), { recursive: true });
    writeFileSync(join(one.home, 'node_modules', 'sharp', 'index.js'), "throw new Error('wrong ELF class\\nmore')");
    mkdirSync(join(one.home, 'node_modules', '@lydell', 'node-pty'), { recursive: true });
    writeFileSync(
      join(one.home, 'node_modules', '@lydell', 'node-pty', 'index.js'),
      "exports.spawn = () => { throw new Error('no /dev/ptmx'); };",
    );
    expect((await resultsOf(packages, one))[2]).toMatchObject({
      status: 'warn',
      message: 'sharp does not load (wrong ELF class): read cannot show images',
    });
    expect(await resultsOf(terminal, one)).toMatchObject([
      { status: 'warn', message: expect.stringContaining('cannot open a terminal: Error: no /dev/ptmx') },
    ]);
  });
});

describe('shell and path', () => {
  it.each([
    ['/bin/sh', '/usr/bin:/bin', 'ok', '/bin/sh runs commands'],
    ['/no/such', '/usr/bin:/bin', 'warn', expect.stringMatching(/^SHELL is \/no\/such, but \/(?:usr\/)?bin\/sh runs/u)],
  ])('SHELL=%s with PATH=%s: %s', async (SHELL, PATH, status, message) => {
    expect(await resultsOf(shell, doctorContext({ env: { SHELL, PATH } }))).toMatchObject([
      { id: 'shell', status, message },
    ]);
  });

  it('pincer on PATH is this program, another one, or none', async () => {
    const one = doctorContext();
    const bin = join(one.home, 'bin');
    mkdirSync(bin);
    const at = { ...one, env: { PATH: bin } };
    expect(await resultsOf(path, at)).toMatchObject([{ status: 'warn', message: 'pincer is not on PATH' }]);
    writeFileSync(join(one.home, 'other'), '', { mode: 0o755 });
    symlinkSync(join(one.home, 'other'), join(bin, 'pincer'));
    expect(await resultsOf(path, at)).toMatchObject([
      { status: 'warn', message: 'pincer on PATH is another program: HOME/other' },
    ]);
    chmodSync(one.program, 0o755);
    expect(await resultsOf(path, { ...at, program: join(one.home, 'other') })).toEqual([
      { id: 'path', status: 'ok', message: 'pincer on PATH is this program (HOME/bin/pincer)' },
    ]);
  });
});

describe('the state folder', () => {
  it('is well when it is its owner’s alone, or when it can be made', async () => {
    const one = doctorContext();
    expect(await resultsOf(state, one)).toEqual([{ id: 'state', status: 'ok', message: 'HOME/state is private' }]);
    expect(await resultsOf(state, { ...one, stateDir: join(one.home, 'a', 'b') })).toMatchObject([{ status: 'ok' }]);
  });

  it('is corrected by a command that a shell reads as it is meant, whatever the folder is called', async () => {
    const one = doctorContext();
    const name = ".it's; touch ran";
    mkdirSync(join(one.stateDir, name));
    chmodSync(join(one.stateDir, name), 0o755);
    const [{ fix = '' } = {}] = await runChecks([state], one, false);
    expect(spawnSync('sh', ['-c', fix], { cwd: one.home, encoding: 'utf8' })).toMatchObject({ status: 0, stderr: '' });
    expect([modeOf(join(one.stateDir, name)), existsSync(join(one.home, 'ran'))]).toEqual([0o700, false]);
  });

  it('that other users can enter fails, with its parts, and is corrected when asked', async () => {
    const one = doctorContext();
    mkdirSync(join(one.stateDir, 'locks'));
    chmodSync(join(one.stateDir, 'locks'), 0o755);
    chmodSync(one.stateDir, 0o750);
    const found = [
      {
        id: 'state',
        status: 'fail',
        message: 'other users can access HOME/state (mode 0750)',
        fix: 'chmod 700 HOME/state',
      },
      {
        id: 'state',
        status: 'fail',
        message: 'other users can access HOME/state/locks (mode 0755)',
        fix: 'chmod 700 HOME/state/locks',
      },
    ];
    expect(await resultsOf(state, one)).toEqual(found);
    expect(modeOf(one.stateDir)).toBe(0o750);
    expect(await resultsOf(state, one, true)).toEqual(
      found.map((result) => ({ ...result, status: 'ok', fixed: true })),
    );
    expect([modeOf(one.stateDir), modeOf(join(one.stateDir, 'locks'))]).toEqual([0o700, 0o700]);
    expect(await resultsOf(state, one)).toMatchObject([{ status: 'ok' }]);
  });

  it.each([
    ['the home', (one: ReturnType<typeof doctorContext>) => one.home],
    ['a folder of other things', (one: ReturnType<typeof doctorContext>) => one.folder],
  ])('that is %s by mistake is not mended', async (_, place) => {
    const one = doctorContext();
    const stateDir = place(one);
    writeFileSync(join(stateDir, 'letter.txt'), '');
    chmodSync(stateDir, 0o755);
    expect(await resultsOf(state, { ...one, stateDir }, true)).toMatchObject([{ status: 'fail' }]);
    expect(modeOf(stateDir)).toBe(0o755);
  });

  it.each([
    ['a symbolic link', (at: string) => symlinkSync('/tmp', at), 'HOME/odd is a symlink'],
    ['a file', (at: string) => writeFileSync(at, ''), 'HOME/odd is not a folder'],
  ])('that is %s fails', async (_, make, message) => {
    const one = doctorContext();
    make(join(one.home, 'odd'));
    expect(await resultsOf(state, { ...one, stateDir: join(one.home, 'odd') }, true)).toMatchObject([
      { status: 'fail', message },
    ]);
  });

  it('holds files that only their owner may open', async () => {
    const one = doctorContext();
    expect(await resultsOf(privateFiles, one)).toMatchObject([{ status: 'skip' }]);
    writeFileSync(join(one.stateDir, 'exec-approvals.json'), '{}', { mode: 0o600 });
    mkdirSync(join(one.stateDir, 'serve'));
    writeFileSync(join(one.stateDir, 'serve', 'token'), 'x');
    chmodSync(join(one.stateDir, 'serve', 'token'), 0o644);
    expect(await resultsOf(privateFiles, one)).toEqual([
      { id: 'private-files', status: 'ok', message: 'HOME/state/exec-approvals.json is private' },
      {
        id: 'private-files',
        status: 'fail',
        message: 'other users can read HOME/state/serve/token (mode 0644)',
        fix: 'chmod 600 HOME/state/serve/token; others may have read the token: remove the file to get a new one',
      },
    ]);
    expect((await resultsOf(privateFiles, one, true))[1]).toMatchObject({ status: 'ok', fixed: true });
    expect(modeOf(join(one.stateDir, 'serve', 'token'))).toBe(0o600);
  });

  it('is not mended through a link', async () => {
    const one = doctorContext();
    writeFileSync(join(one.home, 'theirs'), '');
    chmodSync(join(one.home, 'theirs'), 0o644);
    symlinkSync(join(one.home, 'theirs'), join(one.stateDir, 'gateway.db'));
    expect(await resultsOf(privateFiles, one, true)).toMatchObject([
      { status: 'fail', message: 'HOME/state/gateway.db is not a file' },
    ]);
    expect(modeOf(join(one.home, 'theirs'))).toBe(0o644);
  });
});

describe('the machine', () => {
  it('has room, limits and a clock', async () => {
    const one = doctorContext();
    expect(await resultsOf(disk, { ...one, stateDir: join(one.home, 'not', 'there') })).toMatchObject([
      { id: 'disk', message: expect.stringMatching(/^\d+ MB free on the disk of HOME$/u) },
    ]);
    expect(await resultsOf(limits, one)).toMatchObject([{ id: 'limits' }]);
    expect(await resultsOf(clock, one)).toMatchObject([{ id: 'clock', status: 'ok' }]);
  });

  it('warns if the clock was set back', async () => {
    const one = doctorContext();
    writeFileSync(join(one.stateDir, 'gateway.db'), '');
    const later = new Date(Math.floor(one.now / 1_000) * 1_000 + 3_600_000);
    utimesSync(join(one.stateDir, 'gateway.db'), later, later);
    expect(await resultsOf(clock, one)).toMatchObject([
      {
        status: 'warn',
        message: expect.stringContaining(`was set back: HOME/state/gateway.db has the time ${later.toISOString()}`),
      },
    ]);
    expect(await resultsOf(clock, { ...one, now: Date.parse('2020-01-01') })).toMatchObject([
      { status: 'warn', message: expect.stringContaining('is earlier than the build date of this program') },
    ]);
  });
});
