import { mkdirSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { runChanges, runRedo, runUndo } from '../../../src/apps/cli/changes/run.ts';
import { printReversal } from '../../../src/apps/cli/changes/print-changes.ts';
import { writePointer } from '../../../src/apps/daemon/pointer.ts';
import type { Output } from '../../../src/apps/terminal/output.ts';
import { localFiles } from '../../../src/hosts/files/files.ts';
import { locateOperator } from '../../../src/hosts/files/gate/locate.ts';
import { daemonPlace } from '../../support/daemon.ts';
import { type Desk, desk } from '../../hosts/files/changes/desk.ts';

type Command = (argv: readonly string[], output: Output) => Promise<number>;

async function run(command: Command, place: Desk, argv: readonly string[], isTerminal = false) {
  vi.stubEnv('PINCER_STATE_DIR', place.stateDir);
  let out = '';
  let err = '';
  const output: Output = {
    isTerminal,
    errorIsTerminal: isTerminal,
    quiet: false,
    colour: false,
    out: (text) => (out += Buffer.from(text as string).toString()),
    err: (text) => (err += text),
  };
  const code = await command([...argv, '--workspace', place.root], output);
  vi.unstubAllEnvs();
  return { code, out, err };
}

const json = (text: string): unknown => JSON.parse(text);
const twoChanges = async () => {
  const place = await desk({ 'a.txt': 'one\ntwo\n' }, { agent: 'ann', tool: 'edit' });
  const first = place.commit({ write: 'a.txt', bytes: 'one\n2\n' });
  const bob = await desk({}, { agent: 'bob', tool: 'apply_patch', at: place });
  const second = bob.commit({ write: 'b.txt', bytes: 'b\n' }, { move: 'a.txt', to: 'c.txt' });
  return { place, first, second };
};

describe('pincer changes', () => {
  it('lists a line for each change to people', async () => {
    const { place, first, second } = await twoChanges();
    const { code, out } = await run(runChanges, place, [], true);
    expect([code, out.replace(/ +\d+s /gu, ' 0s ')]).toEqual([
      0,
      `${second} 0s  editor (bob)  apply_patch  A b.txt, R a.txt -> c.txt  +1 -0\n${first} 0s  editor (ann)  edit         M a.txt  +1 -1\n`,
    ]);
  });

  it('lists what it knows beside a daemon that cannot say whether a sandbox runs; undo refuses', async () => {
    const { place, first } = await twoChanges();
    const socket = join(daemonPlace().env['XDG_RUNTIME_DIR']!, 's');
    const hello = { version: '0.0.9', time: 1, protocol: 1, pid: 4242, answer: 'refused', heartbeat: true };
    const answer = JSON.stringify({ hello });
    const server = createServer((client) => {
      client.on('error', () => {});
      client.once('data', () =>
        client.end(Buffer.concat([Buffer.from([0, 0, 0, answer.length]), Buffer.from(answer)])),
      );
    }).listen(socket);
    onTestFinished(() => void server.close());
    await once(server, 'listening');
    mkdirSync(join(place.stateDir, 'daemon'), { mode: 0o700 });
    writePointer(place.stateDir, { pid: 4_000_000, start: '', socket });
    vi.stubEnv('PINCER_SANDBOX_MODE', 'all');
    const { code, out, err } = await run(runChanges, place, [], true);
    expect([code, err]).toEqual([
      0,
      expect.stringContaining('does not include changes in the sandbox: the running daemon (version 0.0.9'),
    ]);
    expect(out).toContain(first);
    vi.stubEnv('PINCER_SANDBOX_MODE', 'all');
    expect(await run(runUndo, place, [], true)).toMatchObject({
      code: 3,
      err: expect.stringContaining('GATEWAY_PROTOCOL') as string,
    });
  });

  it('keeps the columns below each other when some changes are undone, and counts long lists', async () => {
    const place = await desk({}, { agent: 'ann', tool: 'apply_patch' });
    const names = Array.from({ length: 500 }, (_, i) => `${i}.txt`);
    const many = place.commit(...names.map((name) => ({ write: name, bytes: 'x\n' })));
    const one = place.commit({ write: 'a.txt', bytes: 'a\n' });
    const undone = await run(runUndo, place, [one, '--human']);
    expect(undone.out.replace(/ +\d+s /u, ' 0s ')).toBe(`undid ${one} 0s  editor (ann)  apply_patch  A a.txt\n`);
    const { out } = await run(runChanges, place, [], true);
    expect(out.replace(/ +\d+s /gu, ' 0s ').split('\n')).toEqual([
      expect.stringMatching(new RegExp(` {2}undo {19}undoes ${one}; D a\\.txt {2}\\+0 -1$`, 'u')),
      `${one} 0s  editor (ann)  apply_patch  [undone]  A a.txt  +1 -0`,
      `${many} 0s  editor (ann)  apply_patch            500 files: A 0.txt, A 1.txt, A 2.txt, …  +500 -0`,
      '',
    ]);
    const asJson = json((await run(runChanges, place, [])).out) as { changes: { files: unknown[] }[] };
    expect(asJson.changes.map(({ files }) => files.length)).toEqual([1, 1, 500]);
  });

  it('lists the same as JSON to programs, with diffs when asked for', async () => {
    const { place, first } = await twoChanges();
    const { code, out } = await run(runChanges, place, ['--agent', 'ann', '--diff']);
    expect([code, json(out)]).toEqual([
      0,
      {
        changes: [
          {
            id: first,
            time: expect.any(String),
            agent: 'ann',
            client: 'editor',
            tool: 'edit',
            files: [{ action: 'modify', path: 'a.txt', bytesBefore: 8, bytesAfter: 6 }],
            state: 'done',
            added: 1,
            removed: 1,
            diff: '--- a.txt\n+++ a.txt\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n',
          },
        ],
      },
    ]);
  });

  it('shows one change with its diff', async () => {
    const { place, first } = await twoChanges();
    const { code, out } = await run(runChanges, place, [first.slice(0, -1), '--human']);
    expect([code, out]).toEqual([0, expect.stringMatching(/ M a\.txt {2}\+1 -1\n--- a\.txt\n\+\+\+ a\.txt\n@@/u)]);
  });

  it('filters by path, time, client and number', async () => {
    const { place, second } = await twoChanges();
    const idsFor = async (...argv: string[]) => {
      const { out } = await run(runChanges, place, argv);
      return (json(out) as { changes: { id: string }[] }).changes.map(({ id }) => id);
    };
    expect(await idsFor('--path', 'b.txt')).toEqual([second]);
    expect(await idsFor('--limit', '1')).toEqual([second]);
    expect(await idsFor('--since', '1h')).toHaveLength(2);
    expect(await idsFor('--client', 'Editor')).toHaveLength(2);
    expect(await idsFor('--client', 'you')).toEqual([]);
    expect(await idsFor('--since', '2099-01-01')).toEqual([]);
  });

  it.each([
    [['--since', 'yesterday'], 2, 'PARAM_INVALID'],
    [['--limit', '0'], 2, 'USAGE_ARGUMENTS'],
    [['--client', '***'], 2, 'USAGE_ARGUMENTS'],
    [['--wrong'], 2, 'USAGE_ARGUMENTS'],
    [['abcd', '--agent', 'x'], 2, 'USAGE_ARGUMENTS'],
    [['unknown-id'], 1, 'CHANGE_NOT_FOUND'],
  ])('answers %j with exit %i and %s', async (argv, exit, code) => {
    const { place } = await twoChanges();
    const answer = await run(runChanges, place, argv);
    expect([answer.code, answer.out, json(answer.err)]).toEqual([
      exit,
      '',
      { error: expect.objectContaining({ code }) },
    ]);
  });

  it('says so when nothing was ever recorded', async () => {
    const place = await desk({});
    expect(await run(runChanges, place, [], true)).toEqual({ code: 0, out: 'no recorded changes\n', err: '' });
    expect(json((await run(runChanges, place, [])).out)).toEqual({ changes: [] });
  });

  it('shows no name of a file that a terminal would obey', async () => {
    const place = await desk({});
    place.commit({ write: 'a\u001b[2Jb\n.txt', bytes: 'x\u001b[31m\n' });
    const { out } = await run(runChanges, place, ['--diff'], true);
    expect([out.includes('\u001b'), out.split('\n')[0]]).toEqual([
      false,
      expect.stringContaining('A "a\\u001b[2Jb\\n.txt"'),
    ]);
  });
});

describe('pincer undo and redo', () => {
  it('take the newest change back and bring it again', async () => {
    const { place, first, second } = await twoChanges();
    const undone = await run(runUndo, place, [], true);
    expect([undone.code, undone.out]).toEqual([0, expect.stringContaining(`undid ${second}`)]);
    expect(json((await run(runUndo, place, [])).out)).toMatchObject({
      ok: true,
      changes: [{ id: first }],
      already: [],
    });
    expect(place.text('a.txt')).toBe('one\ntwo\n');
    expect(await run(runUndo, place, ['--human'])).toEqual({
      code: 1,
      out: 'there is no change to undo\nhint: pincer changes lists the recorded changes; pincer config undo reverts settings\n',
      err: '',
    });
    expect((await run(runRedo, place, [first])).code).toBe(0);
    expect((await run(runRedo, place, [])).code).toBe(0);
    expect([place.text('c.txt'), place.text('b.txt')]).toEqual(['one\n2\n', 'b\n']);
  });

  it('take back everything since a moment, or all of one agent', async () => {
    const { place } = await twoChanges();
    expect((await run(runUndo, place, ['--agent', 'bob'])).code).toBe(0);
    expect(place.text('a.txt')).toBe('one\n2\n');
    expect((await run(runRedo, place, [])).code).toBe(0);
    const all = await run(runUndo, place, ['--since', '1h']);
    expect([all.code, place.text('a.txt')]).toEqual([0, 'one\ntwo\n']);
    expect((await run(runUndo, place, ['--since', '1h'])).code).toBe(1);
  });

  it('write nothing in a dry run, and show the diff', async () => {
    const { place, second } = await twoChanges();
    const dry = await run(runUndo, place, ['--dry-run', '--human']);
    expect([dry.code, dry.out]).toEqual([
      0,
      expect.stringMatching(
        new RegExp(`^would undo ${second}.*\nrename from c.txt\nrename to a.txt\n--- b.txt\n`, 'u'),
      ),
    ]);
    expect(place.text('b.txt')).toBe('b\n');
  });

  it('are refused with the three sides when the file was changed', async () => {
    const place = await desk({ 'a.txt': 'one\n' });
    const id = place.commit({ write: 'a.txt', bytes: 'two\n' });
    writeFileSync(join(place.root, 'a.txt'), 'three\n');
    const { code, out } = await run(runUndo, place, ['--human']);
    expect([code, out]).toEqual([
      1,
      [
        `undo refused: changed-since — a.txt was changed since ${id} by another program; nothing was undone`,
        `a.txt: ${id} left it as 4 bytes, it is now 6 bytes, and would become 4 bytes; changed by another program`,
        'changes since then:',
        '--- a.txt\n+++ a.txt\n@@ -1,1 +1,1 @@\n-two\n+three',
        'the reversal:',
        '--- a.txt\n+++ a.txt\n@@ -1,1 +1,1 @@\n-three\n+one',
        'hint: compare the content after the change with the present one, and change the file by hand',
        '',
      ].join('\n'),
    ]);
  });

  it('tell a long diff by its size on a terminal, and explain a few of many conflicts', async () => {
    const place = await desk({});
    const names = Array.from({ length: 60 }, (_, i) => `${i}.txt`);
    const id = place.commit(...names.map((name) => ({ write: name, bytes: 'x\n' })));
    const undone = await run(runUndo, place, [], true);
    expect(undone.out.split('\n').slice(1)).toEqual([
      expect.stringMatching(/^\+0 -60 in 60 files; pincer changes \w+ shows the diff$/u),
      '',
    ]);
    const dry = await run(runRedo, place, ['--dry-run'], true);
    expect(dry.out.match(/^@@/gmu)).toHaveLength(60);
    await run(runRedo, place, []);
    for (const name of names) writeFileSync(join(place.root, name), 'y\n');
    const refused = await run(runUndo, place, [id], true);
    expect(refused.out.match(/ left it as /gu)).toHaveLength(5);
    expect(refused.out).toMatch(/^likewise 55 more files: \d+\.txt, \d+\.txt, \d+\.txt, …$/mu);
    const asJson = json((await run(runUndo, place, [id])).out) as { conflicts: unknown[] };
    expect(asJson.conflicts).toHaveLength(60);
  });

  it('reach a file outside of the workspace that the operator had named', async () => {
    const place = await desk({});
    const outside = join(place.root, '..', 'outside');
    mkdirSync(outside);
    writeFileSync(join(outside, 'o.txt'), 'one\n');
    const files = localFiles({
      cwd: place.root,
      stateDir: place.stateDir,
      author: { agent: 'main', client: 'editor' },
    });
    const file = locateOperator(place.root, join(outside, 'o.txt'));
    const open = files.open(file);
    (await files.writer('path set')).replace(open, [{ start: 0, end: 3, bytes: Buffer.from('two') }]);
    open.close();
    expect(() => place.changes.undo()).toThrow(/outside/u);
    expect((await run(runUndo, place, [])).code).toBe(0);
    expect(place.text('../outside/o.txt')).toBe('one\n');
  });
});

it('an undo that cannot be recorded is told as done, with a note', () => {
  let out = '';
  const output: Output = {
    isTerminal: false,
    errorIsTerminal: false,
    quiet: false,
    colour: false,
    out: (text) => (out += String(text)),
    err: () => undefined,
  };
  const outcome = { ok: true, id: undefined, changes: [], written: [], already: ['a.txt'], diffs: [] } as const;
  printReversal('undo', outcome, { json: false, dryRun: false, output });
  expect(out).toBe(
    'already in the target state: a.txt\n' +
      'note: this undo could not be recorded, so it is not in the list of changes\n',
  );
});
