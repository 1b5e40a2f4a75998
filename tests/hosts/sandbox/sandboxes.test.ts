import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { execSettings } from '../../../src/config/exec-settings.ts';
import type { ConfigFile } from '../../../src/config/schema/schema.ts';
import type { Exit, Launch } from '../../../src/hosts/process/launch.ts';
import type { LinkOptions } from '../../../src/hosts/sandbox/link/link.ts';
import { offBackend } from '../../../src/hosts/sandbox/off.ts';
import { isSandboxed, placeFor, type SandboxPlace } from '../../../src/hosts/sandbox/owner.ts';
import { createSandboxes, type Sandboxes, type SandboxesOptions } from '../../../src/hosts/sandbox/sandboxes.ts';
import { PROBE_VALID_MS } from '../../../src/hosts/sandbox/sandboxes/probe-cache.ts';
import { until, UNTIL_GO } from '../../support/patience.ts';
import { makeFolder } from '../../support/folder.ts';
import { type PlainTechnology, plainTechnology } from '../../support/sandbox.ts';
import { fc } from '../../support/property.ts';

type SandboxConfig = NonNullable<ConfigFile['sandbox']>;

function settingsOf(sandbox: SandboxConfig = {}) {
  const config: ConfigFile = { sandbox: { mode: 'all', ...sandbox } };
  return execSettings({ config, sources: [], warnings: [] }, 'main', '/home/me').sandbox;
}

interface Ran {
  readonly exited: Promise<Exit>;
  readonly out: () => string;
}

interface Ground {
  readonly sandboxes: Sandboxes;
  readonly technology: PlainTechnology;
  readonly folder: string;
  readonly place: (agent?: string, sandbox?: SandboxConfig, conversation?: string) => SandboxPlace;
  readonly run: (place: SandboxPlace, command: string) => Promise<Ran>;
}

async function ground(more: Partial<SandboxesOptions> = {}, technology?: PlainTechnology): Promise<Ground> {
  const root = makeFolder();
  const folder = join(root, 'work');
  mkdirSync(folder);
  const made = technology ?? (await plainTechnology());
  const sandboxes = createSandboxes({ ...made, folder: join(root, 'private'), ...more });
  onTestFinished(() => sandboxes.close());
  let count = 0;
  return {
    sandboxes,
    technology: made,
    folder,
    place: (agent = 'main', sandbox = {}, conversation) =>
      placeFor(settingsOf(sandbox), { agent, ...(conversation === undefined ? {} : { conversation }) }, folder),
    async run(place, command) {
      let text = '';
      let exit: (exit: Exit) => void = () => {};
      const exited = new Promise<Exit>((resolve) => (exit = resolve));
      const launch: Launch = {
        session: `s-${count++}`,
        stages: [{ file: '/bin/sh', argv: ['sh', '-c', command] }],
        cwd: folder,
        env: { PATH: '/usr/bin:/bin' },
        streams: 'merged',
        stdin: 'closed',
      };
      await sandboxes.runnerOf(place).launch(launch, {
        output: (_, bytes) => {
          text += Buffer.from(bytes).toString();
          return true;
        },
        exited: exit,
      });
      return { exited, out: () => text };
    },
  };
}

describe('sandboxes', () => {
  it('are opened on demand, once, and shared by concurrent callers', async () => {
    const { technology, sandboxes, place, run } = await ground();
    expect([technology.opened.length, sandboxes.list()]).toEqual([0, []]);
    const runs = await Promise.all(['a', 'b', 'c'].map((word) => run(place(), `echo ${word}`)));
    await Promise.all(runs.map(({ exited }) => exited));
    expect([technology.opened.length, runs.map(({ out }) => out())]).toEqual([1, ['a\n', 'b\n', 'c\n']]);
    expect(sandboxes.list()).toMatchObject([{ owner: 'main', running: 0, pid: expect.any(Number) as number }]);
  });

  it.each([
    [
      'session',
      [
        ['a', 'x'],
        ['a', 'x'],
        ['a', 'y'],
        ['b', 'x'],
      ],
      3,
    ],
    [
      'agent',
      [
        ['a', 'x'],
        ['a', 'y'],
        ['b', 'x'],
      ],
      2,
    ],
    [
      'shared',
      [
        ['a', 'x'],
        ['a', 'y'],
        ['b', 'x'],
      ],
      1,
    ],
  ] as const)('with the scope %s are as many as there are owners', async (scope, callers, count) => {
    const { technology, sandboxes, place } = await ground();
    for (const [agent, conversation] of callers) await sandboxes.open(place(agent, { scope }, conversation));
    expect(technology.opened.length).toBe(count);
  });

  it('are replaced when their settings have changed, after their commands have ended', async () => {
    const { technology, sandboxes, folder, place, run } = await ground();
    const old = await run(place(), `${UNTIL_GO}; echo old`);
    const fresh = await run(place('main', { env: { A: '1' } }), 'echo fresh');
    expect([(await fresh.exited).kind, technology.alive()]).toEqual(['code', 2]);
    writeFileSync(join(folder, 'go'), '');
    expect([await old.exited, old.out()]).toEqual([{ kind: 'code', code: 0 }, 'old\n']);
    await until(() => technology.alive() === 1, 'the end of the old one');
    expect(sandboxes.list().map(({ owner }) => owner)).toEqual(['main']);
  });

  it('stay while other agents share them', async () => {
    const { technology, sandboxes, place } = await ground();
    for (const conversation of ['x', 'y']) await sandboxes.open(place('a', { scope: 'session' }, conversation));
    expect(technology.alive()).toBe(2);
    await sandboxes.open(place('a', { scope: 'agent' }, 'x'));
    await until(() => technology.alive() === 1, 'the end of those of the conversations');
  });

  it('that agents share are kept for those whose configuration has not changed', async () => {
    const { technology, sandboxes, place } = await ground();
    const shared = { scope: 'shared' } as const;
    await sandboxes.open(place('a', shared));
    await use(sandboxes, place('b', shared));
    await sandboxes.open(place('a', { ...shared, env: { A: '1' } }));
    expect([technology.opened.length, technology.alive()]).toEqual([2, 2]);
    await sandboxes.open(place('b', { ...shared, env: { A: '1' } }));
    await until(() => technology.alive() === 1, 'the end of the one that nobody needs');
  });

  it('are asked of one backend for each engine and image, and not for what only a sandbox needs', async () => {
    const asked: (string | undefined)[] = [];
    const { sandboxes, place } = await ground({
      backendFor: async ({ container }) => {
        asked.push(container.image);
        return { ...offBackend };
      },
    });
    const docker = (image: string, setupCommand?: string) =>
      place('a', { backend: 'docker', docker: { image, ...(setupCommand === undefined ? {} : { setupCommand }) } });
    for (const one of [docker('one'), docker('two'), docker('one', 'true')]) await sandboxes.probe(one.settings);
    expect(asked).toEqual(['one', 'two']);
  });

  it('end when they have been idle long enough', async () => {
    let now = 0;
    const { technology, sandboxes, folder, place, run } = await ground({ now: () => now, pruneEveryMs: 5 });
    const prune = { idleHours: 1 };
    const { exited } = await run(place('main', { prune }), UNTIL_GO);
    await sandboxes.open(place('idle', { prune }));
    now = 3_600_001;
    await until(() => technology.alive() === 1, 'the end of the other one');
    expect(sandboxes.list().map(({ owner }) => owner)).toEqual(['main']); // what runs is in use
    writeFileSync(join(folder, 'go'), '');
    await exited;
    now = 7_200_002;
    await until(() => technology.alive() === 0, 'the end of the idle one');
    expect(sandboxes.list()).toEqual([]);
  });

  it('that break down end their commands as lost, with the reason, and the next command gets another', async () => {
    const broken: string[] = [];
    const { sandboxes, place, run } = await ground({
      onBroken: ({ owner }, reason) => broken.push(`${owner}: ${reason}`),
    });
    const { exited } = await run(place(), 'sleep 30');
    process.kill(sandboxes.list()[0]!.pid!, 'SIGKILL');
    const exit = await exited;
    expect(exit).toMatchObject({ kind: 'lost' });
    expect(exit.kind === 'lost' && exit.message).toMatch(/^its sandbox ended: .*SIGKILL/u);
    expect(broken).toEqual([expect.stringMatching(/^main: .*SIGKILL/u)]);
    const next = await run(place(), 'echo next');
    await next.exited;
    expect(next.out()).toBe('next\n');
  });

  it('that end because of an error of pincer report it', async () => {
    const technology = await plainTechnology();
    let options: LinkOptions | undefined;
    const defects: unknown[] = [];
    const { sandboxes, place } = await ground(
      {
        connect: (channel, given) => technology.connect(channel, (options = given)),
        onDefect: (error) => defects.push(error),
      },
      technology,
    );
    await sandboxes.open(place());
    const defect = new Error('a defect');
    options?.breakDown('unexpected Error: a defect', defect);
    await until(() => technology.alive() === 0, 'the end of the sandbox');
    expect(defects).toEqual([defect]);
  });

  it('that cannot be opened are a fault for every waiting caller, and are tried again', async () => {
    let isThere = false;
    const technology = await plainTechnology({
      probe: async () =>
        isThere
          ? { ok: true, version: '1', promises: [] }
          : { ok: false, message: 'bubblewrap is not installed', hint: 'run "apt install bubblewrap"' },
    });
    const { place, run } = await ground({}, technology);
    const tries = await Promise.allSettled([run(place(), 'true'), run(place(), 'true')]);
    const fault = {
      code: 'SANDBOX_UNAVAILABLE',
      message: 'bubblewrap is not installed',
      hint: 'run "apt install bubblewrap"',
    };
    expect(tries).toMatchObject([{ reason: fault }, { reason: fault }]);
    isThere = true;
    expect(await (await run(place(), 'true')).exited).toEqual({ kind: 'code', code: 0 });
  });

  it.each([
    ['what its probe depends on changes', { state: 'another program', afterMs: 0 }],
    ['its probe is old', { state: 'bwrap', afterMs: PROBE_VALID_MS }],
    ['the clock is set back', { state: 'bwrap', afterMs: -1 }],
  ])('has its backend probed again when %s', async (_, { state, afterMs }) => {
    let [now, dependsOn, isThere] = [1_000, 'bwrap', true];
    let probes = 0;
    const technology = await plainTechnology({
      probe: async () => {
        probes++;
        return isThere
          ? { ok: true, version: '1', promises: [] }
          : { ok: false, message: 'bubblewrap is not installed', hint: '' };
      },
      dependsOn: async () => dependsOn,
    });
    const { sandboxes, place, run } = await ground({ now: () => now }, technology);
    await sandboxes.requireWorking(place());
    await (await run(place(), 'true')).exited;
    expect(probes).toBe(1);
    [now, dependsOn, isThere] = [now + afterMs, state, false];
    // A sandbox that runs takes work, so that the place is still served.
    await sandboxes.requireWorking(place());
    expect(await (await run(place(), 'true')).exited).toEqual({ kind: 'code', code: 0 });
    await sandboxes.end();
    const fault = { code: 'SANDBOX_UNAVAILABLE', message: 'bubblewrap is not installed' };
    await expect(sandboxes.requireWorking(place())).rejects.toMatchObject(fault);
    await expect(run(place(), 'true')).rejects.toMatchObject(fault);
  });

  it('end with all of their processes on request, and on close', async () => {
    const { technology, sandboxes, place, run } = await ground();
    const a = await run(place('a'), 'sleep 100');
    const b = await run(place('b'), 'sleep 100');
    expect(await sandboxes.end('a')).toMatchObject([{ owner: 'a', running: 1 }]);
    expect(await a.exited).toEqual({ kind: 'lost', message: 'its sandbox ended: it is being recreated' });
    expect(technology.alive()).toBe(1);
    await sandboxes.close();
    expect(await b.exited).toEqual({ kind: 'lost', message: 'its sandbox ended: the daemon has ended' });
    expect(technology.alive()).toBe(0);
    await expect(sandboxes.open(place('a'))).rejects.toMatchObject({ code: 'EXEC_CLOSING' });
  });

  it('are ended when they are still opening during close', async () => {
    const { technology, sandboxes, place } = await ground();
    const opening = sandboxes.open(place());
    await sandboxes.close();
    await opening;
    expect(technology.alive()).toBe(0);
  });

  it('with access none have a private workspace that the next one finds again', async () => {
    const { technology, sandboxes, folder, place } = await ground();
    const none = { workspaceAccess: 'none' } as const;
    writeFileSync(join(folder, 'secret.txt'), 'secret');
    const call = { tool: 'write', args: { path: 'kept.txt', content: 'kept' }, context: {} };
    expect(await sandboxes.callTool(place('main', none), call)).toMatchObject({ details: { sandbox: true } });
    await sandboxes.end();
    const read = (path: string) =>
      sandboxes.callTool(place('main', none), { tool: 'read', args: { path }, context: {} });
    expect(await read('kept.txt')).toMatchObject({ content: [{ text: 'kept' }] });
    expect(await read('secret.txt')).toMatchObject({ isError: true });
    expect(new Set(technology.opened.map(({ workspace }) => workspace)).size).toBe(1);
    expect(technology.opened[0]!.workspace).not.toContain(folder);
  });
});

/** Uses a sandbox for an agent. */
async function use(sandboxes: Sandboxes, place: SandboxPlace): Promise<void> {
  await sandboxes.callTool(place, { tool: 'read', args: { path: 'nothing' }, context: {} });
}

describe('the place of a request', () => {
  it('is another one for another owner, folder or specification, and for nothing else', () => {
    const base = placeFor(settingsOf(), { agent: 'a', conversation: 'x' }, '/w');
    const same = placeFor(settingsOf({ prune: { idleHours: 9 } }), { agent: 'a', conversation: 'y' }, '/w');
    expect([same.key, same.hash]).toEqual([base.key, base.hash]);
    expect(placeFor(settingsOf(), { agent: 'b' }, '/w').key).not.toBe(base.key);
    expect(placeFor(settingsOf(), { agent: 'a' }, '/v').key).not.toBe(base.key);
    const changed: SandboxConfig[] = [
      { workspaceAccess: 'ro' },
      { limits: { pids: 9 } },
      { network: { allow: ['a.example'] } },
      { binds: [{ source: '/data' }] },
      { env: { A: 'b' } },
      { docker: { image: 'x' } },
    ];
    const hashes = changed.map((sandbox) => placeFor(settingsOf(sandbox), { agent: 'a' }, '/w').hash);
    expect(new Set([base.hash, ...hashes]).size).toBe(changed.length + 1);
  });

  it('never lets two callers share by the way that their names are written', () => {
    const name = fc.string({ maxLength: 6 });
    fc.assert(
      fc.property(name, name, name, name, (a, b, c, d) => {
        const one = placeFor(settingsOf({ scope: 'session' }), { agent: a, conversation: b }, '/w').key;
        const other = placeFor(settingsOf({ scope: 'session' }), { agent: c, conversation: d }, '/w').key;
        expect(one === other).toBe(a === c && b === d);
      }),
    );
  });
});

describe('the mode', () => {
  it.each([
    ['off', { agent: 'helper', conversation: 'x' }, false],
    ['all', { agent: 'main' }, true],
    ['all', { agent: 'main', operator: true }, true],
    ['non-main', { agent: 'main' }, false],
    ['non-main', { agent: 'main', conversation: 'main' }, false],
    ['non-main', { agent: 'main', conversation: 'telegram' }, true],
    ['non-main', { agent: 'helper' }, true],
    ['non-main', { agent: 'helper', conversation: 'main' }, true],
  ] as const)('%s for %j: %s', (mode, caller, isIn) => {
    expect(isSandboxed({ mode }, caller)).toBe(isIn);
  });
});

describe('the backend off', () => {
  it('is always there, promises nothing and opens nothing', async () => {
    expect(await offBackend.probe()).toEqual({ ok: true, version: 'this machine', promises: [] });
    await expect(offBackend.open(undefined as never)).rejects.toMatchObject({ code: 'SANDBOX_OFF' });
  });
});
