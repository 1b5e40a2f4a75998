import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { capWait } from '../../../src/apps/mcp/client-timeout.ts';
import { stateKey } from '../../../src/apps/mcp/key.ts';
import { callLimits } from '../../../src/apps/mcp/limits.ts';
import { answerOf, questionAbout } from '../../../src/apps/mcp/question.ts';
import { callResult } from '../../../src/apps/mcp/results.ts';
import { hashOfCall } from '../../../src/apps/mcp/state.ts';
import { lineReader } from '../../../src/apps/mcp/stdio/transport.ts';
import type { ApprovalInfo } from '../../../src/wire/approval.ts';
import { anyCharacter, fc, runs } from '../../support/property.ts';

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), 'pincer-mcp-'));
  onTestFinished(() => rmSync(made, { recursive: true, force: true }));
  return made;
}

describe('the key of a state folder', () => {
  it('is made once, for this user only, and nothing is left beside it', () => {
    const at = folder();
    const keys = Array.from({ length: 3 }, () => Buffer.from(stateKey(at)).toString('hex'));
    expect(new Set(keys).size).toBe(1);
    expect(readdirSync(join(at, 'mcp'))).toEqual(['state.key']);
    expect(statSync(join(at, 'mcp', 'state.key')).mode & 0o777).toBe(0o600);
  });

  it.each([
    ['others may read', (path: string) => chmodSync(path, 0o644), /other users can read or write it/u],
    ['is too short', (path: string) => writeFileSync(path, 'short'), /does not have 32 bytes/u],
    [
      'is a link',
      (path: string) => {
        rmSync(path);
        symlinkSync('/etc/hostname', path);
      },
      /cannot be used/u,
    ],
  ])('is not used when it %s', (_, spoil, why) => {
    const at = folder();
    stateKey(at);
    spoil(join(at, 'mcp', 'state.key'));
    expect(() => stateKey(at)).toThrow(why);
  });

  it('is kept when it is there', () => {
    const at = folder();
    mkdirSync(join(at, 'mcp'));
    writeFileSync(join(at, 'mcp', 'state.key'), Buffer.alloc(32, 7), { mode: 0o600 });
    expect(Buffer.from(stateKey(at))).toEqual(Buffer.alloc(32, 7));
  });
});

describe('lines', () => {
  it('are the same however the bytes are cut', () => {
    const text = fc.array(fc.string({ unit: anyCharacter, maxLength: 30 }).map((line) => line.replaceAll('\n', ' ')));
    fc.assert(
      fc.property(text, fc.array(fc.integer({ min: 1, max: 9 })), (wanted, cuts) => {
        const bytes = Buffer.from(wanted.map((line) => `${line}\n`).join(''));
        const reader = lineReader(1_000);
        const got: (string | undefined)[] = [];
        for (let at = 0, i = 0; at < bytes.length; i++) {
          const size = cuts[i % Math.max(1, cuts.length)] ?? bytes.length;
          got.push(...reader.read(bytes.subarray(at, at + size)));
          at += size;
        }
        const decoded = wanted.map((line) => Buffer.from(line).toString());
        expect([got, reader.rest()]).toEqual([decoded, '']);
      }),
    );
  });

  it('that are too long are left out, and those behind them are read', () => {
    const reader = lineReader(5);
    const read = (text: string) => [...reader.read(Buffer.from(text))];
    expect([read('12345\n123'), read('456'), read('789\nab'), reader.rest()]).toEqual([
      ['12345'],
      [],
      [undefined],
      'ab',
    ]);
  });
});

describe('calls', () => {
  it('queue, and aborted calls leave the queue', async () => {
    const limits = callLimits(1_000);
    const leaving = new AbortController();
    const staying = new AbortController();
    const ends: (() => void)[] = [];
    const held = Array.from({ length: 64 }, () =>
      limits.schedule('read', staying.signal, () => new Promise<void>((resolve) => ends.push(resolve))),
    );
    const order: string[] = [];
    const impatient = limits
      .schedule('read', leaving.signal, async () => void order.push('impatient'))
      .catch(() => 'left');
    const patient = limits.schedule('read', staying.signal, async () => void order.push('patient'));
    await limits.schedule('exec', staying.signal, async () => void order.push('exec'));
    leaving.abort();
    expect(await impatient).toBe('left');
    for (const end of ends) end();
    await Promise.all([...held, patient]);
    expect(order).toEqual(['exec', 'patient']);
  });

  it('are refused when too many wait, until some have ended', async () => {
    const limits = callLimits(1);
    const { signal } = new AbortController();
    let end: () => void = () => undefined;
    const first = limits.schedule('read', signal, () => new Promise<void>((resolve) => (end = resolve)));
    await expect(limits.schedule('read', signal, async () => 1)).rejects.toThrow('1 calls are running or queued');
    end();
    await first;
    expect(await limits.schedule('read', signal, async () => 1)).toBe(1);
  });

  it.each([
    ['exec', { yieldMs: 90_000 }, false, { yieldMs: 50_000 }],
    ['exec', { yield_ms: 90_000 }, false, { yield_ms: 50_000 }],
    ['exec', { yieldMs: 90_000 }, true, { yieldMs: 90_000 }],
    ['exec', { command: 'true' }, false, { command: 'true' }],
    ['process', { action: 'poll', timeout: 1e9 }, false, { action: 'poll', timeout: 50_000 }],
    ['read', { yieldMs: 90_000 }, false, { yieldMs: 90_000 }],
  ])('of %s with %j wait as long as the client does (progress: %s)', (tool, args, progress, expected) => {
    expect(capWait(tool, args, progress)).toEqual(expected);
  });

  it('have a name that does not depend on the order of their parameters, and on everything else', () => {
    const value = fc.dictionary(fc.string(), fc.jsonValue(), { maxKeys: 5 });
    fc.assert(
      fc.property(value, (args) => {
        const turned = Object.fromEntries(Object.entries(args).reverse());
        expect(hashOfCall('exec', turned)).toBe(hashOfCall('exec', args));
      }),
    );
    const names = [
      ['exec', { a: 1 }],
      ['exec', { a: '1' }],
      ['exec', { a: [1] }],
      ['exec', { a: { 0: 1 } }],
      ['exec', { a: [['0', 1]] }],
      ['read', { a: 1 }],
    ] as const;
    expect(new Set(names.map(([tool, args]) => hashOfCall(tool, args))).size).toBe(names.length);
  });
});

describe('a result', () => {
  it.each([
    ['a file', 'read', { content: [{ type: 'text', text: 'a' }], details: { path: 'a' } }, { path: 'a', text: 'a' }],
    [
      'a command that ended',
      'exec',
      { content: [{ type: 'text', text: 'out' }], details: { status: 'completed', aggregated: 'out', pid: undefined } },
      { status: 'completed', text: 'out' },
    ],
    ['a place', 'path', { content: [{ type: 'text', text: '{"ok":1}' }], details: { ok: 1 } }, { ok: 1 }],
    [
      'a picture',
      'read',
      { content: [{ type: 'image', data: '', mimeType: 'image/png' }], details: { a: 1 } },
      undefined,
    ],
  ] as const)('of %s has the data once', (_, tool, result, data) => {
    const { content, structuredContent } = callResult(tool, result);
    expect([content, structuredContent]).toEqual([result.content, data]);
  });
});

describe('a question', () => {
  const approval = (command: string, cwd = '/ws', env: Readonly<Record<string, string>> = {}): ApprovalInfo => ({
    id: 'f7775e2f-e106-4cf8-bfc9-23ff0074fd55',
    slug: 'f7775e2f',
    state: 'pending',
    createdAt: 0,
    expiresAt: 1,
    binding: {
      agent: 'main',
      host: 'gateway',
      command,
      cwd,
      cwdIdentity: '1:1',
      env,
      pty: false,
      programs: [],
      files: [],
    },
    judgement: { verdict: 'ask', code: 'allowlist-miss', reason: `about ${command}`, stages: [] },
    wouldStore: [],
  });

  it('has the same lines for every command, folder and variable', () => {
    const lines = (text: string) => text.split(/[\n\r\u2028\u2029\v\f\u0085]/u).length;
    const plain = lines(questionAbout(approval('true', '/ws', { A: '' }))!.message);
    const hostile = fc.string({ unit: anyCharacter, maxLength: 80 });
    fc.assert(
      fc.property(hostile, hostile, hostile, (command, cwd, value) => {
        const { message } = questionAbout(approval(command, cwd, { A: value }))!;
        expect(lines(message)).toBe(plain);
        expect(message).not.toMatch(/[\p{Cf}\p{Zl}\p{Zp}]/u);
      }),
      { numRuns: runs(500) },
    );
  });

  it('shows the variables of the call unchanged', () => {
    const { message } = questionAbout(approval('make clean', '/ws', { DESTDIR: '/', TARGET: 'x; evil', EMPTY: '' }))!;
    expect(message).toContain("\n  env      DESTDIR=/\n  env      TARGET='x; evil'\n  env      EMPTY=''");
  });

  it.each([
    ['a long value', { A: 'x'.repeat(1_001) }],
    ['many variables', Object.fromEntries(Array.from({ length: 5_000 }, (_, i) => [`V${i}`, 'x']))],
    ['many long values', Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`V${i}`, 'x'.repeat(900)]))],
  ])('is not put where %s would make it too long', (_, env) => {
    expect(questionAbout(approval('make', '/ws', env))).toBeUndefined();
  });

  it('names the node of a command, and is not asked where the node accepts no answers from here', () => {
    const onNode = (answers: 'none' | 'once') => {
      const { binding, ...rest } = approval('make', '/ws', {});
      const node = { id: 'a'.repeat(32), name: 'mac', answers };
      return questionAbout({ ...rest, binding: { ...binding, host: 'node' }, node });
    };
    expect(onNode('once')?.message).toContain('  on       node mac, for ');
    expect(onNode('none')).toBeUndefined();
  });

  it('offers to store a rule only where one could be stored', () => {
    expect(questionAbout(approval('true'))!.decisions).toEqual(['allow-once', 'deny']);
    const storable = { ...approval('true'), wouldStore: [{ pattern: '/bin/true' }] };
    expect(questionAbout(storable)!.decisions).toEqual(['allow-once', 'allow-always', 'deny']);
    expect(questionAbout(approval('x'.repeat(4_001)))).toBeUndefined();
  });

  it.each([
    [{ action: 'accept', content: { decision: 'allow-once' } }, 'allow-once'],
    [{ action: 'accept', content: { decision: 'deny' } }, 'deny'],
    [{ action: 'decline' }, 'deny'],
    [{ action: 'decline', content: { decision: 'allow-once' } }, 'deny'],
    [{ action: 'cancel', content: { decision: 'allow-once' } }, undefined],
    [{ action: 'accept', content: { decision: 'allow-always' } }, undefined],
    [{ action: 'accept', content: { decision: ['allow-once'] } }, undefined],
    [{ action: 'accept', content: null }, undefined],
    [{ action: 'accept' }, undefined],
    [{}, undefined],
  ])('answered with %j means %s', (answer, expected) => {
    expect(answerOf(answer, { decisions: ['allow-once', 'deny'] })?.decision).toBe(expected);
  });
});
