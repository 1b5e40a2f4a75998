import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { localFiles } from '../../src/hosts/files/files.ts';
import { callTool } from '../../src/tools/call.ts';
import { pathTool } from '../../src/tools/path.ts';

let folder = '';
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'pincer-tool-')));
  writeFileSync(join(folder, 'c.jsonc'), '{\n  "id": 12345678901234567890, // big\n  "on": false\n}\n');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const call = (input: Record<string, unknown>) =>
  callTool([pathTool], 'path', input, { files: localFiles({ cwd: folder, stateDir: join(folder, '.state') }) });

describe('the tool path', () => {
  it('returns the JSON of the command line, with numbers unchanged', async () => {
    const answer = await call({ verb: 'resolve', path: 'oc://c.jsonc/id' });
    expect(answer.isError).toBeUndefined();
    expect(answer.content).toEqual([{ type: 'text', text: expect.stringContaining('"value": 12345678901234567890') }]);
    expect(answer.details).toMatchObject({
      resolved: true,
      match: { kind: 'leaf', valueText: '12345678901234567890', line: 2 },
    });
  });

  it('finds, previews, writes and deletes', async () => {
    expect((await call({ verb: 'find', path: 'oc://c.jsonc/*' })).details).toMatchObject({ count: 2 });
    expect(
      (await call({ verb: 'set', path: 'oc://c.jsonc/on', value: 'true', dryRun: true, diff: true })).details,
    ).toMatchObject({ ok: true, dryRun: true });
    expect(readFileSync(join(folder, 'c.jsonc'), 'utf8')).toContain('false');
    expect((await call({ verb: 'set', path: 'oc://c.jsonc/on', value: 'true' })).details).toMatchObject({
      ok: true,
      dryRun: false,
    });
    expect((await call({ verb: 'set', path: 'oc://c.jsonc/+list', valueJson: '[1, 2]' })).details).toMatchObject({
      ok: true,
    });
    expect((await call({ verb: 'delete', path: 'oc://c.jsonc/id' })).isError).toBeUndefined();
    expect(readFileSync(join(folder, 'c.jsonc'), 'utf8')).toBe(
      '{\n  "on": true,\n  "list": [\n    1,\n    2\n  ]\n}\n',
    );
  });

  it('lists the addresses of a file in a folder, each of which resolves from the workspace', async () => {
    mkdirSync(join(folder, 'deploy'));
    writeFileSync(join(folder, 'deploy', 'a.yaml'), 'image:\n  tag: "1.11"\n');
    const answer = await call({ verb: 'ls', path: 'oc://"deploy/a.yaml"', depth: 3 });
    expect(answer.details).toMatchObject({
      file: 'oc://"deploy/a.yaml"',
      kind: 'yaml',
      entries: [
        { path: 'oc://"deploy/a.yaml"/image', depth: 1 },
        { path: 'oc://"deploy/a.yaml"/image/tag', depth: 2, match: { valueText: '1.11', line: 2 } },
      ],
    });
    expect((await call({ verb: 'resolve', path: 'oc://"deploy/a.yaml"/image/tag' })).details).toMatchObject({
      resolved: true,
    });
  });

  it('lists the names of an environment file without their values', async () => {
    writeFileSync(join(folder, '.env'), 'TOKEN=abcdef\n');
    const answer = await call({ verb: 'ls', path: 'oc://.env' });
    expect(answer.details).toMatchObject({ entries: [{ path: 'oc://.env/TOKEN', match: { valueText: '***' } }] });
    expect(JSON.stringify(answer)).not.toContain('abcdef');
  });

  it('refuses to list a file with a private key', async () => {
    const key = '-----BEGIN PRIVATE KEY-----\nMIIB\n-----END PRIVATE KEY-----';
    writeFileSync(join(folder, 'k.json'), JSON.stringify({ key }));
    expect(await call({ verb: 'ls', path: 'oc://k.json' })).toMatchObject({
      isError: true,
      details: { code: 'READ_SECRET' },
    });
  });

  it('writes what was previewed, and refuses a file that changed since', async () => {
    const change = { verb: 'set', path: 'oc://c.jsonc/on', value: 'true' };
    const preview = await call({ ...change, dryRun: true });
    const expectHash = preview.details['hash'];
    expect(expectHash).toMatch(/^[\da-f]{64}$/u);
    writeFileSync(join(folder, 'c.jsonc'), '{"on": false}\n');
    const refused = await call({ ...change, expectHash });
    expect(refused).toMatchObject({ isError: true, details: { code: 'EDIT_STALE', path: 'c.jsonc' } });
    expect(readFileSync(join(folder, 'c.jsonc'), 'utf8')).toBe('{"on": false}\n');
    const again = (await call({ ...change, dryRun: true })).details['hash'];
    expect((await call({ ...change, expectHash: again })).details).toMatchObject({ ok: true, dryRun: false });
    expect(readFileSync(join(folder, 'c.jsonc'), 'utf8')).toBe('{"on": true}\n');
  });

  it('refuses the preview of a change that the write refuses', async () => {
    writeFileSync(join(folder, 'pincer.jsonc'), '{"a": 1}\n');
    const change = { verb: 'set', path: 'oc://pincer.jsonc/a', value: '2' };
    for (const dryRun of [true, false])
      expect(await call({ ...change, dryRun })).toMatchObject({ details: { code: 'FS_PROTECTED' } });
  });

  it('gives no hash of a file with hidden values', async () => {
    writeFileSync(join(folder, '.env'), 'PIN=1234\n');
    const preview = await call({ verb: 'set', path: 'oc://.env/PIN', value: '5', dryRun: true, diff: true });
    expect(preview.details).toMatchObject({ ok: true });
    expect(preview.details).not.toHaveProperty('hash');
  });

  it.each([
    [{ verb: 'resolve', path: 'oc://c.jsonc/*' }, { code: 'OC_PATH_WILDCARD_IN_RESOLVE' }],
    [{ verb: 'resolve', path: 'oc://nope.md/a' }, { code: 'FS_NOT_FOUND' }],
    [{ verb: 'frob', path: 'oc://c.jsonc' }, { code: 'PARAM_INVALID' }],
    [{ verb: 'set', path: 'oc://c.jsonc/on' }, { code: 'PARAM_INVALID' }],
    [
      { verb: 'set', path: 'oc://c.jsonc/on', value: 'yes' },
      { ok: false, reason: 'parse-error', code: 'OC_REFUSED' },
    ],
    [
      { verb: 'set', path: 'oc://c.jsonc/on', valueJson: '{oops' },
      { ok: false, reason: 'parse-error', code: 'OC_REFUSED' },
    ],
  ])('refuses %j', async (input, details) => {
    const answer = await call(input);
    expect(answer.isError).toBe(true);
    expect(answer.details).toMatchObject(details);
  });
});
