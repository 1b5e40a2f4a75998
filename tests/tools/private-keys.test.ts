/** Private keys are hidden from agents by their content, whatever the file is called. */
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { assembleTools, type ToolboxOptions } from '../../src/apps/assemble.ts';
import { privateKeySpans } from '../../src/text/secrets/private-keys.ts';
import { redacted } from '../../src/tools/secrets/redact.ts';
import { makeFolder } from '../support/folder.ts';
import { fc } from '../support/property.ts';

const BODY = 'MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj\nMzEfYyjiWA4R4/M2bS1GB4t7NXp98C3SC6';
const KEY = `-----BEGIN PRIVATE KEY-----\n${BODY}\n-----END PRIVATE KEY-----\n`;
const SECRET = /MIIE|MzEf|s3cret/u;

describe('a private key', () => {
  it.each([
    ['PKCS 8', KEY, '***\n***\n***\n***\n'],
    ['with a header', KEY.replace('KEY-----\n', 'KEY-----\nProc-Type: 4,ENCRYPTED\n\n'), '***\n***\n\n***\n***\n***\n'],
    ['of OpenSSH', '-----BEGIN OPENSSH PRIVATE KEY-----\ns3cret\n-----END OPENSSH PRIVATE KEY-----', '***\n***\n***'],
    ['of PGP', KEY.replaceAll('PRIVATE KEY', 'PGP PRIVATE KEY BLOCK'), '***\n***\n***\n***\n'],
    [
      'of SSH2',
      '---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----\ns3cret\n---- END SSH2 ENCRYPTED PRIVATE KEY ----',
      '***\n***\n***',
    ],
    ['with CRLF', KEY.replaceAll('\n', '\r\n'), '***\n***\n***\n***\r\n'],
    [
      'in YAML',
      `a: 1\nkey: |\n  ${KEY.replaceAll('\n', '\n  ')}\nb: 2\n`,
      'a: 1\nkey: |\n  ***\n***\n***\n***\n  \nb: 2\n',
    ],
    ['in JSON', JSON.stringify({ a: 1, private_key: KEY }), '{"a":1,"private_key":"***\\n"}'],
    [
      'in source code',
      `const key = '-----BEGIN PRIVATE KEY-----\\n' +\n  '${BODY.split('\n')[0]}\\n' +\n  '-----END PRIVATE KEY-----';\nf(key);`,
      "const key = '***\n***\n***';\nf(key);",
    ],
    ['that was cut off', `${KEY.slice(0, 80)}\nand text\n`, '***\n***\nand text\n'],
    ['twice', `${KEY}between\n${KEY}`, '***\n***\n***\n***\nbetween\n***\n***\n***\n***\n'],
  ])('%s is hidden, and every line stays a line', (_, text, shown) => {
    expect(redacted(text, 'keys').text).toBe(shown);
    expect(redacted(text, 'keys').text.split('\n')).toHaveLength(text.split('\n').length);
  });

  it.each([
    ['a public key', KEY.replaceAll('PRIVATE', 'PUBLIC')],
    ['a certificate', KEY.replaceAll('PRIVATE KEY', 'CERTIFICATE')],
    ['a parser', "if (text.startsWith('-----BEGIN PRIVATE KEY-----')) return read(text);"],
    ['a writer', `return "-----BEGIN PRIVATE KEY-----\\n" + body + "\\n-----END PRIVATE KEY-----";`],
    ['a document', '-----BEGIN PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----\n'],
    ['a sentence', 'A file with -----BEGIN PRIVATE KEY----- in it is secret.'],
  ])('is not found in %s', (_, text) => {
    expect(privateKeySpans(text)).toEqual([]);
  });

  it('takes linear time, and keeps the text around it', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('-', 'a', ' ', '\n', 'BEGIN', 'PRIVATE KEY') }), (around) => {
        const text = `${around}\n\n${KEY}end`;
        expect(redacted(text, 'keys').text).not.toMatch(SECRET);
        expect(redacted(text, 'keys').text.endsWith('end')).toBe(true);
      }),
    );
    expect(privateKeySpans('-----BEGIN PRIVATE KEY-----\n'.repeat(20_000)).length).toBeLessThan(20_001);
  });
});

describe('the tools and a private key in a file of any name', () => {
  const NOTES = `first\n${KEY}last\n`;

  function tools(
    files: Readonly<Record<string, string | Buffer>> = { 'notes.txt': NOTES },
    options: Partial<ToolboxOptions> = {},
  ) {
    const folder = makeFolder({ 'ws/.keep': '' });
    const workspace = makeFolder(files);
    const box = assembleTools({
      workspace,
      stateDir: `${folder}/state`,
      durable: false,
      heavyCalls: 'here',
      allowUndo: true,
      applyPatch: { byName: true },
      ...options,
    });
    const said = async (tool: string, args: object): Promise<string> => JSON.stringify(await box.call(tool, args));
    return { said, folder: workspace, call: (tool: string, args: object) => box.call(tool, args) };
  }

  it('read shows the lines around it', async () => {
    const { content, details } = await tools().call('read', { path: 'notes.txt' });
    expect(content).toEqual([{ type: 'text', text: 'first\n***\n***\n***\n***\nlast\n\n[Values are hidden as ***.]' }]);
    expect(details).not.toHaveProperty('hash');
  });

  it.each([
    ['a page of it', 'notes.txt', { offset: 3, limit: 1 }],
    ['UTF-16', 'wide.txt', {}],
    ['a notebook', 'a.ipynb', {}],
    ['a page of a large file', 'large.log', { offset: 120_003, limit: 1 }],
  ])('read hides %s', async (_, path, args) => {
    const { said } = tools({
      'notes.txt': NOTES,
      'wide.txt': Buffer.from(`\ufeff${NOTES}`, 'utf16le'),
      'a.ipynb': JSON.stringify({
        cells: [{ cell_type: 'raw', metadata: {}, source: KEY }],
        metadata: {},
        nbformat: 4,
        nbformat_minor: 5,
      }),
      'large.log': `${'x'.repeat(39)}\n`.repeat(120_000) + NOTES,
    });
    expect(await said('read', { path, ...args })).not.toMatch(SECRET);
  });

  it.each(['utf-8', 'utf-16le', 'utf-16be', 'windows-1252', 'gb18030'])(
    'F3-2: read in %s shows none of it, whatever encoding the file is in',
    async (encoding) => {
      const wide = Buffer.from(NOTES, 'utf16le');
      const { call } = tools({
        'notes.txt': NOTES,
        'odd.txt': `x${NOTES}`,
        'le.txt': wide,
        'be.txt': Buffer.from(wide).swap16(),
        'both.txt': Buffer.concat([Buffer.from('plain\n'), wide]),
      });
      for (const path of ['notes.txt', 'odd.txt', 'le.txt', 'be.txt', 'both.txt']) {
        const { content, isError } = await call('read', { path, encoding });
        const [shown] = content as readonly { readonly text: string }[];
        const units = Buffer.from(shown!.text, 'utf16le');
        const spelled = [shown!.text, units.toString('latin1'), Buffer.from(units).swap16().toString('latin1')];
        expect(spelled.map((text) => text.replaceAll('\0', '')).join('\n'), path).not.toMatch(SECRET);
        expect([isError, shown!.text.includes('***')], path).toEqual([undefined, true]);
      }
    },
  );

  it('read shows other pages of a large file', async () => {
    const { said } = tools({ 'large.log': `${'x'.repeat(39)}\n`.repeat(120_000) + NOTES });
    expect(await said('read', { path: 'large.log', offset: 1, limit: 2 })).toContain('xxx');
  });

  it.each([
    ['edit', { path: 'notes.txt', oldText: 'first', newText: '1st' }],
    ['edit', { path: 'notes.txt', oldText: 'frist', newText: '1st' }],
    ['edit', { path: 'notes.txt', oldText: '-----END', newText: 'x', dryRun: true }],
    ['write', { path: 'notes.txt', content: 'first\nlast\n' }],
    ['apply_patch', { input: '*** Begin Patch\n*** Delete File: notes.txt\n*** End Patch' }],
    ['apply_patch', { input: '*** Begin Patch\n*** Update File: notes.txt\n@@\n-last\n+end\n*** End Patch' }],
    ['apply_patch', { input: '*** Begin Patch\n*** Update File: notes.txt\n@@\n-lost\n+end\n*** End Patch' }],
    [
      'apply_patch',
      { input: '*** Begin Patch\n*** Update File: notes.txt\n*** Move to: b.txt\n@@\n-last\n+end\n*** End Patch' },
    ],
    ['path', { verb: 'resolve', path: 'oc://a.json/key' }],
    ['path', { verb: 'find', path: 'oc://a.json/*' }],
    ['path', { verb: 'set', path: 'oc://a.json/a', value: '2', dryRun: true, diff: true }],
  ])('%s of %j shows nothing of it, and neither does the record', async (tool, args) => {
    const { said } = tools({ 'notes.txt': NOTES, 'a.json': JSON.stringify({ a: 1, key: KEY }) });
    await said('read', { path: 'notes.txt' });
    expect(await said(tool, args)).not.toMatch(SECRET);
    const changes = await said('changes', { action: 'list' });
    const id = /"id":"([^"]+)"/u.exec(changes)?.[1];
    if (id !== undefined) expect(await said('changes', { action: 'diff', id })).not.toMatch(SECRET);
    expect(await said('changes', { action: 'undo' })).not.toMatch(SECRET);
  });

  it.each([
    ['was deleted', undefined],
    ['holds no key any more', 'text\n'],
  ])('changes shows no part of it when its file %s', async (_, later) => {
    const line = (i: number): string => `${String(i).padStart(4, '0')}${BODY.slice(4, 64)}`;
    const lines = Array.from({ length: 20 }, (_each, i) => line(i)).join('\n');
    for (const text of [
      `${KEY.split('\n')[0]}\n${lines}\n-----END PRIVATE KEY-----\n`,
      lines.replaceAll(/^.*$/gmu, "'$&\\n' +"),
    ]) {
      const { said, folder } = tools({ 'k.txt': text });
      await said('edit', { path: 'k.txt', oldText: line(10), newText: line(10).toLowerCase() });
      if (later === undefined) rmSync(join(folder, 'k.txt'));
      else writeFileSync(join(folder, 'k.txt'), later);
      const id = /"id":"([^"]+)"/u.exec(await said('changes', { action: 'list' }))![1];
      expect(await said('changes', { action: 'diff', id })).toContain('the diff of k.txt is withheld');
    }
  });

  it('changes shows other text of a file that was deleted or moved', async () => {
    const { said, folder } = tools({ 'a.txt': 'one\ntwo\n' });
    await said('edit', { path: 'a.txt', oldText: 'two', newText: '2' });
    rmSync(join(folder, 'a.txt'));
    const id = /"id":"([^"]+)"/u.exec(await said('changes', { action: 'list' }))![1];
    expect(await said('changes', { action: 'diff', id })).toContain('+2');
  });

  it('write refuses the marks instead of its lines', async () => {
    const { call } = tools();
    const marked = { path: 'notes.txt', content: 'first\n***\n***\n***\n***\nlast\n' };
    expect((await call('write', marked)).details).toMatchObject({ code: 'EDIT_MARKS' });
  });

  it('are shown where the operator allows it', async () => {
    for (const options of [{ showSecrets: true }, { secrets: { show: ['notes.*'] } }])
      expect(await tools(undefined, options).said('read', { path: 'notes.txt' })).toMatch(SECRET);
    expect(await tools(undefined, { secrets: { show: ['other.*'] } }).said('read', { path: 'notes.txt' })).not.toMatch(
      SECRET,
    );
  });
});
