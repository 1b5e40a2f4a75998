import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import JSON5 from 'json5';
import { describe, expect, it } from 'vitest';
import { daemonPlace } from '../../support/daemon.ts';
import { makeFolder } from '../../support/folder.ts';
import { type Ended, inParallel } from '../../support/program.ts';

const PROGRAM = resolve(import.meta.dirname, '../../../dist/pincer.cjs');

interface Ground {
  readonly folder: string;
  readonly file: string;
  readonly run: (args: readonly string[], env?: Readonly<Record<string, string>>) => Promise<Ended>;
}

/** A home with a file of configuration, and the program in it; its daemon ends with the test. */
function ground(text?: string): Ground {
  const folder = makeFolder({ 'ws/.keep': '' });
  const { env } = daemonPlace();
  const own = { ...env, HOME: folder, XDG_CONFIG_HOME: join(folder, 'xdg') };
  const file = join(folder, 'xdg', 'pincer', 'pincer.jsonc');
  if (text !== undefined) {
    mkdirSync(join(folder, 'xdg', 'pincer'), { recursive: true });
    writeFileSync(file, text);
  }
  return {
    folder,
    file,
    run: (args, extra = {}) =>
      new Promise((done, fail) => {
        const child = spawn(process.execPath, [PROGRAM, ...args], {
          cwd: join(folder, 'ws'),
          env: { ...own, ...extra },
          stdio: ['ignore', 'pipe', 'pipe'],
        });
        let stdout = '';
        let stderr = '';
        child.stdout.setEncoding('utf8').on('data', (part: string) => (stdout += part));
        child.stderr.setEncoding('utf8').on('data', (part: string) => (stderr += part));
        child.on('error', fail);
        child.on('close', (code, signal) => done({ code, signal, stdout, stderr }));
      }),
  };
}

describe('pincer config set', () => {
  const NAMES = Array.from({ length: 20 }, (_, i) => `bin${i}`);

  it.each([
    ['in a file with comments', '{\n  // mine\n  tools: { deny: [] }, // stays\n}\n'],
    ['in a file that none of them finds', undefined],
  ])(
    'loses nothing when twenty write at once, %s',
    async (_, text) => {
      const { run, file } = ground(text);
      const jobs = NAMES.map(
        (name, i) => () => run(['config', 'set', `tools.exec.safeBinProfiles.${name}.maxPositional`, `${i}`]),
      );
      const ended = await inParallel(20, jobs);
      expect(ended.filter(({ code }) => code !== 0)).toEqual([]);
      const after = readFileSync(file, 'utf8');
      const { tools } = JSON5.parse<{ tools: { exec: { safeBinProfiles: object } } }>(after);
      expect(tools.exec.safeBinProfiles).toEqual(
        Object.fromEntries(NAMES.map((name, i) => [name, { maxPositional: i }])),
      );
      if (text !== undefined) expect(after).toContain('  // mine\n  tools: { deny: [], exec: ');
    },
    120_000,
  );

  it('follows a link', async () => {
    const { run, file, folder } = ground();
    mkdirSync(join(folder, 'xdg', 'pincer'), { recursive: true });
    writeFileSync(join(folder, 'dotfile'), '{}\n');
    symlinkSync(join(folder, 'dotfile'), file);
    const { code } = await run(['config', 'set', 'tools.exec.host', 'gateway']);
    expect([code, JSON.parse(readFileSync(join(folder, 'dotfile'), 'utf8'))]).toEqual([
      0,
      { tools: { exec: { host: 'gateway' } } },
    ]);
  });
});

describe('the daemon', () => {
  const POLICY = '{ tools: { exec: { host: "gateway", security: "deny" } } }';

  it('takes no policy from the environment of whoever calls it, or starts it', async () => {
    const { run } = ground(POLICY);
    const loose = {
      PINCER_TOOLS_EXEC_SECURITY: 'full',
      PINCER_TOOLS_EXEC_ASK: 'off',
      PINCER_TOOLS_EXEC_HOST: 'sandbox',
    };
    const starting = await run(['exec', '--json', '--', 'echo', 'loose'], loose);
    const calling = await run(['exec', '--json', '--', 'echo', 'loose'], loose);
    expect([starting.code, calling.code]).toEqual([1, 1]);
    expect(starting.stdout + calling.stdout).not.toContain('loose\\n');
    expect(starting.stdout + starting.stderr).toContain('security');
  });

  it('judges more strictly where the environment of whoever calls it says so', async () => {
    const { run } = ground('{}');
    const strict = { PINCER_TOOLS_EXEC_HOST: 'gateway', PINCER_TOOLS_EXEC_SECURITY: 'deny' };
    const outcomes = [
      await run(['exec', '--json', '--', 'echo', 'ran']),
      await run(['exec', '--json', '--', 'echo', 'ran'], strict),
      await run(['call', 'exec', '{"command": "echo ran", "host": "sandbox"}'], strict),
    ];
    expect(outcomes.map(({ code }) => code)).toEqual([0, 1, 1]);
    expect(outcomes.map(({ stdout }) => stdout.includes('ran\\n'))).toEqual([true, false, false]);
  });

  it('hears of a change with the next command, and judges by no broken file', async () => {
    const { run, file } = ground(POLICY);
    const exec = () => run(['exec', '--json', '--', 'echo', 'hello']);
    const denied = await exec();
    expect((await run(['config', 'set', 'tools.exec.security', 'full'])).code).toBe(0);
    expect((await run(['config', 'set', 'tools.exec.ask', 'off'])).code).toBe(0);
    const allowed = await exec();
    writeFileSync(file, '{ tools: ');
    const broken = await exec();
    expect([denied.code, allowed.code, broken.code]).toEqual([1, 0, 2]);
    expect(allowed.stdout).toContain('hello');
    expect(broken.stderr + broken.stdout).toContain('CONFIG_SYNTAX');
  });

  it('does not let a command of a session change what it is judged by', async () => {
    const { run, file } = ground('{}');
    const { stdout, stderr } = await run([
      'exec',
      '--',
      process.execPath,
      PROGRAM,
      'config',
      'set',
      'tools.exec.security',
      'full',
      '--human',
    ]);
    expect([stdout + stderr, readFileSync(file, 'utf8')]).toEqual([
      expect.stringContaining('APPROVAL_FROM_SESSION'),
      '{}',
    ]);
  });
});
