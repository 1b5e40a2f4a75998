/** `pincer init --posture` through the built program, without a terminal. */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { postureChoice } from '../../../src/apps/cli/init/plan.ts';
import { whyNoBubblewrap } from '../../support/sandbox.ts';
import { daemonPlace, runProgram } from '../../support/daemon.ts';
import { place, program } from './place.ts';

const noBubblewrap = await whyNoBubblewrap();
const settingsIn = (home: string) => join(home, '.config/pincer/pincer.jsonc');

interface Said {
  readonly status: string;
  readonly files: readonly { readonly part: string; readonly action: string }[];
  readonly posture?: { readonly kind: string; readonly commands: string; readonly change?: string };
  readonly warnings?: readonly string[];
  readonly test?: readonly object[];
}

const saidBy = ({ stdout }: { readonly stdout: string }): Said => JSON.parse(stdout) as Said;

describe('without a terminal', () => {
  it('B1: init reports that commands are not judged, and which command changes that', () => {
    const { home, init } = place();
    const { status, stdout } = init('claude-code', '--yes', '--human');
    expect(status).toBe(0);
    expect(stdout).toContain(
      'commands run directly on this machine and are not judged: no sandbox is set up (sandbox.mode=off), and rules need host=gateway, not host=sandbox (default)\n' +
        'to change that:\n  pincer init --posture judged --yes\n',
    );
    expect(existsSync(settingsIn(home))).toBe(false);
  });

  it('writes nothing without --yes, and no setting without --posture', () => {
    const { project, home, init } = place();
    expect(init('claude-code', '--posture', 'judged').status).toBe(4);
    expect(init('--posture', 'judged').status).toBe(4);
    expect(init('claude-code', '--posture', 'judged', '--yes', '--dry-run').status).toBe(0);
    expect([readdirSync(project), readdirSync(home)]).toEqual([['.keep'], ['.keep']]);
  });

  it('has a flag for each step, and reports the effective posture after the write', () => {
    const { project, home, init } = place();
    const said = saidBy(init('claude-code', '--posture', 'judged', '--hook', '--project', '--no-test', '--yes'));
    expect(said).toMatchObject({
      status: 'written',
      files: [
        { part: 'settings', action: 'create' },
        { part: 'server', action: 'create' },
        { part: 'hook', action: 'create' },
      ],
      posture: { kind: 'judged' },
    });
    expect(JSON.parse(readFileSync(settingsIn(home), 'utf8'))).toMatchObject({ tools: { exec: { host: 'gateway' } } });
    expect(readdirSync(project).sort()).toEqual(['.claude', '.keep', '.mcp.json']);
    expect(saidBy(init('claude-code', '--posture', 'judged', '--hook', '--yes')).status).toBe('unchanged');
  });

  it('continues after a crash between the settings and the client, and --remove undoes both', () => {
    const { project, home, init } = place();
    // The settings are written first: this is what a crash behind them leaves.
    expect(init('--posture', 'judged', '--yes').status).toBe(0);
    expect(saidBy(init('gemini', '--posture', 'judged', '--yes')).files).toMatchObject([
      { part: 'settings', action: 'none' },
      { part: 'server', action: 'create' },
    ]);
    const kept = init('gemini', '--remove', '--yes', '--human');
    expect(kept.stdout).toContain(
      `note: the posture settings stay in ${settingsIn(home)}; pincer init --posture open removes them`,
    );
    expect(existsSync(join(project, '.gemini'))).toBe(false);
    expect(saidBy(init('gemini', '--remove', '--posture', 'open', '--yes'))).toMatchObject({
      status: 'written',
      posture: { kind: 'open' },
    });
    expect(Object.keys(JSON.parse(readFileSync(settingsIn(home), 'utf8')) as object)).toEqual(['$schema']);
  });

  it('ends with 1 and a warning where another setting keeps the posture from being in force', () => {
    const { home, init } = place();
    mkdirSync(dirname(settingsIn(home)), { recursive: true });
    writeFileSync(settingsIn(home), '{ tools: { exec: { security: "deny" } } }\n');
    const { status, stdout } = init('--posture', 'judged', '--yes');
    expect(status).toBe(1);
    expect(saidBy({ stdout })).toMatchObject({
      posture: { kind: 'denied', commands: 'commands are refused: security=deny (config)' },
      warnings: ['the posture judged is not in effect'],
    });
  });

  it.each([
    [['claude-code', '--posture', 'safe'], '--posture must be sandboxed or judged or open, not \\"safe\\"'],
    [['claude-code', '--hook', '--no-hook'], '--hook and --no-hook exclude each other'],
    [['claude-code', '--http', 'http://127.0.0.1:1/mcp', '--posture', 'open'], '--http excludes --posture'],
    [['--posture', 'judged', '--remove'], '--remove needs the name of a client'],
    [['--list', '--yes'], '--yes needs the name of a client'],
  ])('refuses %j', (args, message) => {
    const { status, stderr } = place().init(...args);
    expect(status).toBe(2);
    expect(stderr).toContain(message);
  });
});

describe('a machine without a sandbox', () => {
  it('refuses the posture sandboxed with the reason of the first probe, and takes the first backend that works', () => {
    const missing = {
      backend: 'bubblewrap',
      probe: { ok: false, message: 'it is missing', hint: 'install it' },
    } as const;
    const works = { backend: 'podman', probe: { ok: true, version: '5', promises: [] } } as const;
    expect(() => postureChoice('sandboxed', [missing])).toThrow(
      expect.objectContaining({
        code: 'SANDBOX_UNAVAILABLE',
        message: 'no sandbox works here: it is missing',
        hint: 'install it',
      }),
    );
    expect(postureChoice('sandboxed', [missing, works])).toEqual({ name: 'sandboxed', backend: 'podman' });
    expect(postureChoice('judged', [missing])).toEqual({ name: 'judged' });
  });
});

describe('a server that runs', () => {
  it('decides about commands itself, and init reports that', () => {
    const { init } = place();
    const { stdout } = init('claude-code', '--http', 'http://127.0.0.1:7462/mcp', '--yes', '--human');
    expect(stdout).toContain(
      'note: the server at http://127.0.0.1:7462/mcp decides what happens to commands: pincer serve prints it at start\n',
    );
    expect(stdout).not.toContain('commands run');
  });
});

describe('the test calls', () => {
  it('show one call that passes and one that asks where commands are judged, and leave nothing', async () => {
    const at = daemonPlace();
    const pincer = (...args: readonly string[]) => runProgram(program, at, args);
    const { code, stdout } = await pincer('init', '--posture', 'judged', '--yes', '--test');
    expect([code, saidBy({ stdout }).test]).toEqual([
      0,
      [
        { command: 'wc -c', outcome: 'ran', text: '0' },
        { command: 'tty', outcome: 'asked', text: expect.stringContaining('tty is not on the allowlist') as string },
      ],
    ]);
    expect((await pincer('daemon', 'status')).code).toBe(1);
    expect(JSON.parse((await pincer('approvals', 'list')).stdout)).toEqual({ approvals: [], more: 0 });
    expect(JSON.parse((await pincer('ps')).stdout)).toEqual([]);
  });

  it.skipIf(noBubblewrap !== undefined)('run in the sandbox, and leave none behind in a daemon that runs', async () => {
    const at = daemonPlace();
    const pincer = (...args: readonly string[]) => runProgram(program, at, args);
    await pincer('exec', '--', 'true');
    const { code, stdout } = await pincer('init', '--posture', 'sandboxed', '--yes', '--test');
    expect([code, saidBy({ stdout })]).toMatchObject([
      0,
      { posture: { kind: 'sandboxed' }, test: [{ command: 'wc -c', outcome: 'ran', text: '0' }] },
    ]);
    expect(JSON.parse((await pincer('sandbox', 'list')).stdout)).toEqual([]);
    expect((await pincer('daemon', 'status')).code).toBe(0);
  });
});
