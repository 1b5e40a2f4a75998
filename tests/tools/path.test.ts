import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
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
