import { readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { callTool } from '../../src/tools/call.ts';
import { changesTool } from '../../src/tools/changes.ts';
import { parseSince } from '../../src/tools/changes/since.ts';
import { ago } from '../../src/tools/changes/change-text.ts';
import { set } from '../../src/tools/path/verbs.ts';
import { makeFolder } from '../support/folder.ts';
import { type Desk, desk } from '../hosts/files/changes/desk.ts';

const call = (place: Desk, input: object, context: object = {}) =>
  callTool([changesTool], 'changes', input, { files: place.files, ...context });

/** What `pincer path set --file` does; the id of the change. */
async function setByOperator(place: Desk, file: string): Promise<string> {
  await set(place.files, 'oc://o.json/k', { file, value: { text: 'new' } });
  return place.changes.list({ limit: 1 })[0]!.id;
}

describe('the tool changes', () => {
  it('shows what an undo and a redo would do, and does nothing', async () => {
    const place = await desk({ 'a.txt': 'one\n' });
    const id = place.commit({ write: 'a.txt', bytes: 'two\n' });
    const preview = await call(place, { action: 'undo', id, dryRun: true });
    expect(preview.details).toMatchObject({ dryRun: true, changes: [id], diff: expect.stringContaining('+one') });
    expect(preview.content).toEqual([{ type: 'text', text: `Would undo ${id} (a.txt)` }]);
    expect(readFileSync(join(place.files.workspace, 'a.txt'), 'utf8')).toBe('two\n');
    await call(place, { action: 'undo', id });
    expect((await call(place, { action: 'redo', id, dryRun: true })).details['diff']).toContain('+two');
    expect(readFileSync(join(place.files.workspace, 'a.txt'), 'utf8')).toBe('one\n');
  });

  it('lists the changes of all agents', async () => {
    const ann = await desk({ 'a.txt': 'one\n' }, { agent: 'ann' });
    const bob = await desk({}, { agent: 'bob', at: ann });
    const a = ann.commit({ write: 'a.txt', bytes: 'two\n' });
    const b = bob.commit({ write: 'b.txt', bytes: 'b\n' });
    const all = await call(ann, { action: 'list' });
    expect(all.details['changes']).toMatchObject([
      { id: b, agent: 'bob' },
      { id: a, agent: 'ann' },
    ]);
    expect((all.content[0] as { text: string }).text.split('\n')).toEqual([
      expect.stringMatching(new RegExp(`^${b} .*  editor \\(bob\\)  edit  A b.txt$`, 'u')),
      expect.stringMatching(new RegExp(`^${a} .*  editor \\(ann\\)  edit  M a.txt$`, 'u')),
    ]);
    const some = await call(ann, { action: 'list', path: 'a.txt', since: '1h', agent: 'ann', limit: 5 });
    expect(some.details['changes']).toMatchObject([{ id: a }]);
    expect(await call(ann, { action: 'list', agent: 'nobody' })).toMatchObject({
      content: [{ text: 'No changes are recorded.' }],
    });
  });

  it('shortens long lists in its text, quotes special names, and has all in its details', async () => {
    const place = await desk({});
    const strange = place.commit({ write: 'a\nb.txt', bytes: 'x\n' });
    const names = ['1', '2', '3', '4', '5'];
    const many = place.commit(...names.map((name) => ({ write: name, bytes: 'x\n' })));
    const listed = await call(place, { action: 'list' });
    expect((listed.content[0] as { text: string }).text.split('\n')).toEqual([
      expect.stringMatching(new RegExp(`^${many} .* 5 files: A 1, A 2, A 3, …$`, 'u')),
      expect.stringMatching(new RegExp(`^${strange} .* A "a\\\\nb\\.txt"$`, 'u')),
    ]);
    const undone = await call(place, { action: 'undo' });
    expect(undone).toMatchObject({
      content: [{ text: expect.stringMatching(new RegExp(`^Undid ${many} \\(5 files: \\d, \\d, \\d, …\\)$`, 'u')) }],
    });
    expect(undone.details['files']).toHaveLength(5);
  });

  it('shows the diff of a change', async () => {
    const place = await desk({ 'a.txt': 'one\n' });
    const id = place.commit({ write: 'a.txt', bytes: 'two\n' });
    const diff = '--- a.txt\n+++ a.txt\n@@ -1,1 +1,1 @@\n-one\n+two\n';
    expect(await call(place, { action: 'diff', id })).toMatchObject({ content: [{ text: diff }], details: { diff } });
  });

  it('hides the values of .env files, as read does', async () => {
    const place = await desk({ 'conf/.env': 'KEY=hunter2\n' });
    const id = place.commit({ write: 'conf/.env', bytes: 'KEY=other\n' });
    expect(JSON.stringify(await call(place, { action: 'diff', id }))).not.toContain('hunter2');
    expect(JSON.stringify(await call(place, { action: 'diff', id }, { showSecrets: true }))).toContain('hunter2');
    writeFileSync(join(place.root, 'conf/.env'), 'KEY=foreign\n');
    const refused = await call(place, { action: 'undo' });
    expect([refused.isError, /hunter2|foreign|\bother\b/u.test(JSON.stringify(refused))]).toEqual([true, false]);
  });

  it('shows nothing of files outside of the boundary that the operator changed', async () => {
    const place = await desk({ 'a.txt': 'one\n' });
    const outside = join(makeFolder({ 'o.json': '{"k": "hunter2"}' }), 'o.json');
    const id = await setByOperator(place, outside);
    const a = place.commit({ write: 'a.txt', bytes: 'two\n' });
    expect((await call(place, { action: 'list' })).details).toMatchObject({ changes: [{ id: a }] });
    const refused = await call(place, { action: 'diff', id: id });
    expect([refused.details['code'], JSON.stringify(refused).includes('hunter2')]).toEqual(['CHANGE_NOT_FOUND', false]);
    expect(place.changes.diff(id)?.[0]?.diff).toContain('hunter2');
  });

  it('warns about a change that was not recorded', async () => {
    const place = await desk({ 'a.txt': 'one\n' });
    place.commit({ write: 'a.txt', bytes: 'two\n' });
    const log = join(place.stateDir, 'changes');
    const writer = await place.files.writer('write');
    renameSync(log, `${log}.away`);
    writeFileSync(log, 'in the way');
    writer.commit([{ file: place.files.placeOf('b.txt').file, create: Buffer.from('x') }]);
    rmSync(log);
    renameSync(`${log}.away`, log);
    const warning = expect.stringMatching(/^this change was not recorded and cannot be undone: /u);
    const told = await call(place, { action: 'list' });
    expect([told.details['warnings'], told.content.length]).toEqual([[warning], 2]);
    expect((await call(place, { action: 'list' })).details['warnings']).toBeUndefined();
  });

  it("undoes and redoes the agent's own newest change, not that of others", async () => {
    const ann = await desk({ 'a.txt': 'one\n' }, { agent: 'ann' });
    const bob = await desk({}, { agent: 'bob', at: ann });
    const a = ann.commit({ write: 'a.txt', bytes: 'two\n' });
    const b = bob.commit({ write: 'b.txt', bytes: 'b\n' });
    expect(await call(ann, { action: 'undo' })).toMatchObject({
      content: [{ text: `Undid ${a} (a.txt)` }],
      details: { changes: [a], already: [], files: ['a.txt'] },
    });
    expect([ann.text('a.txt'), ann.text('b.txt')]).toEqual(['one\n', 'b\n']);
    expect(await call(bob, { action: 'redo' })).toMatchObject({ isError: true, details: { code: 'CHANGE_REFUSED' } });
    expect(await call(bob, { action: 'redo', id: a })).toMatchObject({
      isError: true,
      details: { code: 'CHANGE_NOT_YOURS' },
    });
    expect(await call(ann, { action: 'redo' })).toMatchObject({ content: [{ text: `Redid ${a} (a.txt)` }] });
    expect(await call(ann, { action: 'undo', id: b })).toEqual({
      content: [
        {
          type: 'text',
          text: `${b} was made by editor (bob), not by editor (ann)\nonly the operator can undo changes of other clients: pincer undo`,
        },
      ],
      details: {
        code: 'CHANGE_NOT_YOURS',
        hint: 'only the operator can undo changes of other clients: pincer undo',
        reason: 'not-yours',
        conflicts: [],
      },
      isError: true,
      error: `${b} was made by editor (bob), not by editor (ann)`,
    });
  });

  it('B4: undoes and redoes only what its own client did, also where clients share an agent', async () => {
    const claude = await desk({ 'a.txt': 'one\n' }, { client: 'claude-code' });
    const codex = await desk({}, { client: 'codex', at: claude });
    const operator = await desk({}, { client: 'you', at: claude });
    const a = claude.commit({ write: 'a.txt', bytes: 'two\n' });
    const b = codex.commit({ write: 'b.txt', bytes: 'b\n' });
    const c = operator.commit({ write: 'c.txt', bytes: 'c\n' });
    const notYours = { isError: true, details: { code: 'CHANGE_NOT_YOURS' } };
    expect(await call(claude, { action: 'undo', id: c })).toMatchObject(notYours);
    expect(await call(claude, { action: 'undo', id: b })).toMatchObject(notYours);
    expect(await call(claude, { action: 'undo', since: '1h' })).toMatchObject({ details: { changes: [a] } });
    expect(await call(codex, { action: 'redo' })).toMatchObject({ isError: true, details: { code: 'CHANGE_REFUSED' } });
    expect(await call(codex, { action: 'redo', id: a })).toMatchObject(notYours);
    expect(await call(claude, { action: 'redo' })).toMatchObject({ details: { changes: [a] } });
    const byOperator = operator.changes.undo(undefined, { operator: true });
    expect(byOperator).toMatchObject({ ok: true, changes: [{ id: c, client: 'you' }] });
    expect(operator.changes.undo([a], { operator: true })).toMatchObject({ ok: true });
    expect(await call(claude, { action: 'redo', id: a })).toMatchObject(notYours);
    const listed = await call(claude, { action: 'list', client: 'Codex' });
    expect(listed.details['changes']).toMatchObject([{ id: b, client: 'codex' }]);
  });

  it('cannot undo a change recorded without a client', async () => {
    const place = await desk({ 'a.txt': 'one\n' });
    const id = place.commit({ write: 'a.txt', bytes: 'two\n' });
    const folder = join(place.stateDir, 'changes');
    const log = join(folder, readdirSync(folder)[0]!, '00000001.log');
    writeFileSync(log, readFileSync(log, 'latin1').replace('"client":"editor",', ''), 'latin1');
    expect(await call(place, { action: 'undo' })).toMatchObject({ details: { code: 'CHANGE_REFUSED' } });
    expect(await call(place, { action: 'undo', id })).toMatchObject({ details: { code: 'CHANGE_NOT_YOURS' } });
    expect((await call(place, { action: 'list', client: 'unknown' })).content).toMatchObject([
      { text: expect.stringMatching(/ {2}unknown {2}edit {2}M a\.txt$/u) },
    ]);
    expect((await call(place, { action: 'list', client: 'you' })).details['changes']).toEqual([]);
    expect(place.changes.undo(undefined, { operator: true })).toMatchObject({ ok: true, changes: [{ id }] });
  });

  it('undoes all changes of the agent since a time', async () => {
    const place = await desk({ 'a.txt': 'one\n' });
    const first = place.commit({ write: 'a.txt', bytes: 'two\n' });
    const second = place.commit({ write: 'a.txt', bytes: 'three\n' });
    expect(await call(place, { action: 'undo', since: '1h' })).toMatchObject({ details: { changes: [second, first] } });
    expect(place.text('a.txt')).toBe('one\n');
  });

  it('explains a refused undo', async () => {
    const place = await desk({ 'a.txt': 'one\n' });
    const id = place.commit({ write: 'a.txt', bytes: 'two\n' });
    writeFileSync(join(place.root, 'a.txt'), 'three\n');
    const refused = await call(place, { action: 'undo' });
    expect(refused).toMatchObject({
      isError: true,
      error: `a.txt was changed since ${id} by another program; nothing was undone`,
      details: { code: 'CHANGE_CONFLICT', reason: 'changed-since', conflicts: [{ path: 'a.txt', change: id }] },
    });
    expect((refused.content[0] as { text: string }).text).toContain('-two\n+three');
  });

  it.each([
    [{ action: 'undo', id: 'nope' }, 'CHANGE_NOT_FOUND'],
    [{ action: 'diff', id: 'nope' }, 'CHANGE_NOT_FOUND'],
    [{ action: 'diff' }, 'PARAM_MISSING'],
    [{ action: 'undo' }, 'CHANGE_REFUSED'],
    [{ action: 'forget' }, 'PARAM_INVALID'],
    [{ action: 'list', since: 'soon' }, 'PARAM_INVALID'],
    [{ action: 'list', path: '../x' }, 'FS_OUTSIDE_WORKSPACE'],
  ])('answers %j with %s', async (input, code) => {
    expect(await call(await desk({}), input)).toMatchObject({ isError: true, details: { code } });
  });

  it('refuses a diff when the record has no content', async () => {
    const place = await desk({ 'big.bin': Buffer.alloc((64 << 20) + 1) });
    const id = place.commit({ remove: 'big.bin' });
    expect(await call(place, { action: 'diff', id })).toMatchObject({
      error: `the record has no content of ${id}: it has more than 64 MB`,
      details: { code: 'CHANGE_NOT_KEPT' },
    });
  });
});

describe('a time', () => {
  it.each([
    ['90s', 1_000_000 - 90_000],
    ['10m', 1_000_000 - 600_000],
    ['2h', 1_000_000 - 7_200_000],
    ['1d', 1_000_000 - 86_400_000],
    ['2026-05-01T12:00:00Z', Date.UTC(2026, 4, 1, 12)],
    ['2026-05-01', Date.UTC(2026, 4, 1)],
  ])('accepts %s', (text, time) => {
    expect(parseSince('changes', text, 1_000_000)).toBe(time);
  });

  it.each([
    [0, '0s'],
    [59_999, '59s'],
    [3_599_000, '59m'],
    [7_200_000, '2h'],
    [900_000_000, '10d'],
  ])('%i ms ago is shown as %s', (ms, text) => {
    expect(ago(ms)).toBe(text);
  });
});
