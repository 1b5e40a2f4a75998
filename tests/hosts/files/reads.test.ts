import { chmodSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { hashOf } from '../../../src/hosts/files/content-hash.ts';
import { readMemory, bucketOf } from '../../../src/hosts/files/cache/reads.ts';
import { makeFolder } from '../../support/folder.ts';

const memoryIn = (stateDir: string, agent = 'main', workspace = '/ws', client = 'editor') =>
  readMemory({ stateDir, workspace, reader: { agent, client }, onStale: 'advise' });

describe('the read memory', () => {
  it('returns what this agent last read in this workspace, and no reads of others', () => {
    const stateDir = join(makeFolder(), 'state');
    memoryIn(stateDir).remember('/ws/a.txt', 'hash-1');
    memoryIn(stateDir).remember('/ws/a.txt', 'hash-2');
    expect(memoryIn(stateDir).recall('/ws/a.txt')).toBe('hash-2');
    expect(memoryIn(stateDir, 'other').recall('/ws/a.txt')).toBe(undefined);
    expect(memoryIn(stateDir, 'main', '/ws2').recall('/ws/a.txt')).toBe(undefined);
    expect(memoryIn(stateDir, 'main', '/ws', 'codex').recall('/ws/a.txt')).toBe(undefined);
    expect(memoryIn(stateDir).recall('/ws/b.txt')).toBe(undefined);
  });

  it('stores short contents by their hash, and returns no damaged one', () => {
    const stateDir = join(makeFolder(), 'state');
    const memory = memoryIn(stateDir);
    const [short, long] = [Buffer.from('one\n'), Buffer.alloc(memory.mostContent + 1)];
    memory.remember('/ws/a.txt', hashOf(short), short);
    memory.remember('/ws/b.txt', hashOf(long), long);
    expect(memory.recallContent(hashOf(short))).toEqual(short);
    expect(memory.recallContent(hashOf(long))).toBe(undefined);
    const kept = readdirSync(join(stateDir, 'reads')).find((name) => name.startsWith('content-'));
    writeFileSync(join(stateDir, 'reads', kept!), 'two\n');
    expect(memory.recallContent(hashOf(short))).toBe(undefined);
  });

  it('reports what to do with stale files', () => {
    expect(
      readMemory({ stateDir: makeFolder(), workspace: '/', reader: { agent: 'a', client: 'c' }, onStale: 'refuse' }),
    ).toMatchObject({
      onStale: 'refuse',
    });
  });

  it('is bounded, and drops the oldest first', () => {
    const stateDir = join(makeFolder(), 'state');
    const memory = memoryIn(stateDir);
    const shelves = () => readdirSync(join(stateDir, 'reads'));
    memory.remember('/ws/0', 'first');
    const [shelf] = shelves();
    const together = ['/ws/0'];
    for (let i = 1; together.length < 10; i++) {
      if (bucketOf(JSON.stringify(['/ws', 'main', 'editor', `/ws/${i}`])) === shelf) together.push(`/ws/${i}`);
    }
    for (const path of together) memory.remember(path, `hash of ${path}`);
    expect(shelves()).toEqual([shelf]);
    expect(together.map((path) => memory.recall(path))).toEqual([
      undefined,
      undefined,
      ...together.slice(2).map((path) => `hash of ${path}`),
    ]);
  });

  it('replaces a damaged bucket', () => {
    const stateDir = join(makeFolder(), 'state');
    const memory = memoryIn(stateDir);
    memory.remember('/ws/a.txt', 'hash-1');
    const [shelf] = readdirSync(join(stateDir, 'reads'));
    writeFileSync(join(stateDir, 'reads', shelf!), '[["half');
    expect(memory.recall('/ws/a.txt')).toBe(undefined);
    memory.remember('/ws/a.txt', 'hash-2');
    expect([memory.recall('/ws/a.txt'), statSync(join(stateDir, 'reads', shelf!)).mode & 0o777]).toEqual([
      'hash-2',
      0o600,
    ]);
  });

  it('ignores a folder that others can write to, and does not throw', () => {
    const stateDir = join(makeFolder(), 'state');
    mkdirSync(join(stateDir, 'reads'), { recursive: true });
    chmodSync(join(stateDir, 'reads'), 0o777);
    const memory = memoryIn(stateDir);
    memory.remember('/ws/a.txt', 'hash-1');
    expect(memory.recall('/ws/a.txt')).toBe(undefined);
    expect(memory.remember('/ws/a.txt', 'hash-2')).toBe(undefined);
  });
});
