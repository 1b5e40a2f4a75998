import { appendFileSync, closeSync, openSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { localFiles } from '../../../src/hosts/files/files.ts';
import { JsonObject } from '../../../src/text/json/value.ts';
import { batch } from '../../../src/tools/path/batch.ts';
import { set } from '../../../src/tools/path/verbs.ts';
import { makeFolder } from '../../support/folder.ts';

const MARK = '__OPENCLAW_REDACTED__';
const filesOf = (folder: string) => localFiles({ cwd: folder, stateDir: join(folder, '.state') });
const ALL = { dryRun: false, diff: false, create: false };

describe('the redaction mark', () => {
  it.each([
    ['a.json', `{"s": "${MARK}"}`],
    ['a.yaml', `s: ${MARK}\n`],
    ['a.jsonl', `{"s":"${MARK}"}\n`],
  ])('is refused over a place of %s that already contains it', async (name, content) => {
    const folder = makeFolder({ [name]: content });
    const path = `oc://${name}/${name === 'a.jsonl' ? 'L1/' : ''}s`;
    for (const value of [{ text: MARK }, { text: `x${MARK}` }, { json: `${MARK} y` }, { json: [MARK] }])
      await expect(set(filesOf(folder), path, { value })).rejects.toMatchObject({ code: 'OC_EMIT_SENTINEL' });
    expect(readFileSync(join(folder, name), 'utf8')).toBe(content);
  });

  it('may be replaced by the real value', async () => {
    const folder = makeFolder({ 'a.json': `{"s": "${MARK}"}` });
    expect(await set(filesOf(folder), 'oc://a.json/s', { value: { text: 'real' } })).toMatchObject({ ok: true });
  });
});

describe('a batch with two names of one file', () => {
  const lines = (...names: string[]) =>
    names.map((name, i) => JSON.stringify({ path: `oc://${name}/n`, value: String(i + 2) })).join('\n');

  it('applies its lines in order when both names have the same kind', async () => {
    const folder = makeFolder({ 'a.json': '{"n": 1}' });
    symlinkSync('a.json', join(folder, 'b.json'));
    const answer = await batch(filesOf(folder), lines('a.json', 'b.json', '"./a.json"'), {}, ALL);
    expect(answer).toMatchObject({ ok: true, edits: 3, files: [{ fsPath: join(folder, 'a.json') }] });
    expect(readFileSync(join(folder, 'a.json'), 'utf8')).toBe('{"n": 4}');
  });

  it('is refused with its line when the kinds differ', async () => {
    const folder = makeFolder({ 'a.json': '{"n": 1}' });
    symlinkSync('a.json', join(folder, 'b.yaml'));
    await expect(batch(filesOf(folder), lines('a.json', 'b.yaml'), {}, ALL)).rejects.toMatchObject({
      code: 'USAGE_ARGUMENTS',
      message: `line 2: ${join(folder, 'a.json')} is jsonc in line 1 and yaml here`,
    });
    expect(readFileSync(join(folder, 'a.json'), 'utf8')).toBe('{"n": 1}');
  });
});

describe('a refusal in a log', () => {
  it.each([
    ['below', 1],
    ['above', 40_000],
  ])('names the line of the file, %s the size for reading in windows', async (_where, more) => {
    const folder = makeFolder({ 'a.jsonl': `{"a":1}\n\n{bad\n${'{"a":1}\n'.repeat(more)}` });
    const details = [];
    for (const path of ['oc://a.jsonl/L2/a', 'oc://a.jsonl/L3/a', 'oc://a.jsonl/L2'])
      details.push(await set(filesOf(folder), path, { value: { text: '1' } }));
    expect(details).toEqual([
      {
        ok: false,
        reason: 'not-a-value-line',
        detail: 'line 2 is blank or malformed; correct it by hand, or delete it',
      },
      {
        ok: false,
        reason: 'not-a-value-line',
        detail: 'line 3 is blank or malformed; correct it by hand, or delete it',
      },
      {
        ok: false,
        reason: 'not-a-value-line',
        detail: 'line 2 is blank or malformed; correct it by hand, or delete it',
      },
    ]);
  });
});

describe('an append to a log of any size', () => {
  it.each([
    ['an empty file', '', '{"z":1}\n'],
    ['a byte order mark alone', '\ufeff', '\ufeff{"z":1}\n'],
    ['a last line with its ending', '{"a":1}\n', '{"a":1}\n{"z":1}\n'],
    ['a last line without', '{"a":1}', '{"a":1}\n{"z":1}'],
    ['CRLF', '{"a":1}\r\n', '{"a":1}\r\n{"z":1}\r\n'],
    ['blank lines', '\n\n', '\n\n{"z":1}\n'],
    ['a broken last line', '{"a":1}\n{bad', '{"a":1}\n{bad\n{"z":1}'],
  ])('adds a line after %s', async (_what, before, after) => {
    const folder = makeFolder({ 'a.jsonl': before });
    expect(await set(filesOf(folder), 'oc://a.jsonl/+', { value: { json: new JsonObject([['z', 1]]) } })).toEqual({
      ok: true,
      dryRun: false,
      bytesWritten: Buffer.byteLength(after),
      fsPath: join(folder, 'a.jsonl'),
    });
    expect(readFileSync(join(folder, 'a.jsonl'), 'utf8')).toBe(after);
  });

  it('loses no line of a program that has the log open', async () => {
    const folder = makeFolder({ 'a.jsonl': '{"a":1}\n' });
    const logger = openSync(join(folder, 'a.jsonl'), 'a');
    try {
      await set(filesOf(folder), 'oc://a.jsonl/+', { value: { json: 2 } });
      appendFileSync(logger, '3\n');
    } finally {
      closeSync(logger);
    }
    expect(readFileSync(join(folder, 'a.jsonl'), 'utf8')).toBe('{"a":1}\n2\n3\n');
  });
});
