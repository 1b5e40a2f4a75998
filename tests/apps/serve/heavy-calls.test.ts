/** Calls that are too heavy for the process that answers everybody: rows F2 and F3; tests/soak/health.test.ts has F1. */
import { existsSync, mkdirSync, readFileSync, renameSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { takeLocks } from '../../../src/hosts/files/locks/locks.ts';
import { pdfOf } from '../../hosts/media/pdf-bytes.ts';
import { type Answer, type Home, makeHome, type Server, startServer } from './serving.ts';

/** How often health is asked for before the answer of a heavy call. */
const TIMES = 20;

let home: Home;
let server: Server;
beforeAll(async () => {
  home = makeHome({ tools: { exec: { applyPatch: { enabled: true } } } });
  server = await startServer(home, ['--allow-undo', '--model', 'openai/gpt-5']);
});
afterAll(async () => {
  await server.end();
  await home.remove();
});

const put = (name: string, content: string | Uint8Array) => writeFileSync(join(home.workspace, name), content);
const resolved = async (path: string): Promise<Answer> =>
  (await server.call('path', { verb: 'resolve', path: `oc://${path}` })).body;
const codeOf = ({ details }: Answer): unknown => details?.['code'] ?? 'no code';

/** YAML that only the full reader can read, of so many bytes. */
function anchored(bytes: number): string {
  const lines = ['x: &anchor 1\n'];
  for (let size = 0, n = 0; size < bytes; n++) {
    const line = `key${n}: the value of key ${n}\n`;
    lines.push(line);
    size += line.length;
  }
  return lines.join('');
}

/** How often health was answered before the work was done, up to the number wanted. */
async function healthDuring(work: Promise<unknown>): Promise<number> {
  let isDone = false;
  const done = () => (isDone = true);
  work.then(done, done);
  let count = 0;
  while (count < TIMES) {
    const answer = await fetch(`${server.base}/healthz`);
    if (isDone) break;
    expect(answer.status).toBe(200);
    count++;
  }
  return count;
}

describe('a heavy call', () => {
  it('F3: is refused before it is read when its document is too large', async () => {
    put('sparse.yaml', 'x: 1\n');
    truncateSync(join(home.workspace, 'sparse.yaml'), 65 << 20);
    const answer = await resolved('sparse.yaml/x');
    expect(answer.details).toMatchObject({ code: 'TOOL_TOO_LARGE', bytes: 65 << 20, most: 64 << 20 });
  });

  it('F3: is refused for its nesting before the rest of it is read', async () => {
    put('deep.yaml', `x: &anchor ${'['.repeat(5e6)}\n`);
    expect(codeOf(await resolved('deep.yaml/x'))).toBe('OC_YAML_PARSE_FAILED');
  });

  it('answers as a light one does: what is read, changed, listed and undone', async () => {
    put('mid.yaml', anchored(100_000));
    expect((await resolved('mid.yaml/key7')).details).toMatchObject({
      resolved: true,
      match: { valueText: 'the value of key 7' },
    });
    const before = readFileSync(join(home.workspace, 'mid.yaml'), 'utf8');
    const set = await server.call('path', { verb: 'set', path: 'oc://mid.yaml/key7', value: 'new' });
    expect(set.body.details).toMatchObject({ ok: true });
    const after = before.replace('key7: the value of key 7', 'key7: new');
    expect(readFileSync(join(home.workspace, 'mid.yaml'), 'utf8')).toBe(after);
    const undone = await server.call('changes', { action: 'undo' });
    expect(undone.body.isError).toBeUndefined();
    expect(readFileSync(join(home.workspace, 'mid.yaml'), 'utf8')).toBe(before);
    expect(codeOf(await resolved('nothing.yaml/x'))).toBe('FS_NOT_FOUND');
  });

  it('reads documents of other programs', async () => {
    put('a.pdf', pdfOf(['A page of text']));
    const { body } = await server.call('read', { path: 'a.pdf' });
    expect(body.content?.[0]?.text).toContain('A page of text');
  });

  it('F2: waits for the lock of another writer without stalling the others', async () => {
    put('locked.txt', 'one\n');
    const held = takeLocks([join(home.workspace, 'locked.txt')], { stateDir: home.stateDir });
    const edit = server.call('edit', { path: 'locked.txt', oldText: 'one', newText: 'two' });
    try {
      expect(await healthDuring(edit)).toBe(TIMES);
    } finally {
      held.release();
    }
    expect((await edit).body.isError).toBeUndefined();
    expect(readFileSync(join(home.workspace, 'locked.txt'), 'utf8')).toBe('two\n');
  });

  it('writes many files, and many folders for one file, without stalling the others', async () => {
    const patch = (files: number) =>
      `*** Begin Patch\n${Array.from({ length: files }, (_, i) => `*** Add File: new-${i}\n+a\n`).join('')}*** End Patch`;
    const deep = `${'deep/'.repeat(255)}file`;
    const calls = [
      server.call('apply_patch', { input: patch(400) }),
      server.call('write', { path: deep, content: 'a' }),
    ];
    expect(await healthDuring(Promise.race(calls))).toBe(TIMES);
    for (const { body } of await Promise.all(calls)) expect(body.isError).toBeUndefined();
    expect([existsSync(join(home.workspace, 'new-399')), existsSync(join(home.workspace, deep))]).toEqual([true, true]);
    const tooMany = await server.call('apply_patch', { input: patch(6_000) });
    expect(tooMany.body.details).toMatchObject({ code: 'TOOL_TOO_LARGE', names: 6_000, most: 5_000 });
  });

  it('reports the event-loop lag in the metrics', async () => {
    const text = await (await server.ask('/metrics')).text();
    expect(text).toMatch(/^nodejs_eventloop_lag_p99_seconds \d/mu);
    expect(text).toMatch(/^nodejs_eventloop_lag_max_seconds \d/mu);
  });
});

describe('a workspace whose name another folder takes', () => {
  it('is not taken for the folder that the tools were set up for', async () => {
    const place = makeHome();
    const one = await startServer(place);
    try {
      writeFileSync(join(place.workspace, 'mid.yaml'), anchored(100_000));
      expect((await one.call('read', { path: 'a.txt' })).body.isError).toBeUndefined();
      renameSync(place.workspace, join(place.folder, 'moved'));
      mkdirSync(place.workspace);
      writeFileSync(join(place.workspace, 'mid.yaml'), anchored(100_000).replace('&anchor 1', '&anchor 2'));
      const { body } = await one.call('path', { verb: 'resolve', path: 'oc://mid.yaml/x' });
      expect(body.details).toMatchObject({ code: 'FS_CHANGED' });
      expect((await one.call('read', { path: 'a.txt' })).body.isError).toBeUndefined();
    } finally {
      await one.end();
      await place.remove();
    }
  });
});
