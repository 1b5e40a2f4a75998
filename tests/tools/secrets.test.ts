import { readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { redactSecrets } from '../../src/tools/secrets/redact.ts';
import { refuseMarks } from '../../src/tools/secrets/marks.ts';
import { matchesPattern } from '../../src/tools/secrets/secrets.ts';
import { isSecretFile } from '../../src/tools/secrets/secrets.ts';
import { assembleTools } from '../../src/apps/assemble.ts';
import { makeFolder } from '../support/folder.ts';
import { fc } from '../support/property.ts';
import { reading, textIn } from './read/reading.ts';

describe('read on .env files', () => {
  const ENV = '# database\nDB_URL=postgres://u:p@h/db\n\nexport API_KEY="s3cret"\nEMPTY=\n';

  it('hides values and keeps names and comments', async () => {
    const { read } = reading({ '.env': ENV });
    const result = await read({ path: '.env' });
    expect(textIn(result)).toBe('# database\nDB_URL=***\n\nexport API_KEY=***\nEMPTY=\n\n[Values are hidden as ***.]');
    expect(result.details).toEqual({
      path: '.env',
      workspaceOnly: true,
      kind: 'text',
      totalLines: 5,
      lines: { from: 1, to: 5 },
      eol: 'lf',
      encoding: 'utf-8',
      bom: false,
      bytes: ENV.length,
      redacted: 2,
    });
  });

  it('shows them where the operator allows it', async () => {
    const { read } = reading({ '.env': ENV }, { showSecrets: true });
    expect(textIn(await read({ path: '.env' }))).toBe(ENV);
  });

  it('hides them under another name, in another encoding and on every page', async () => {
    const { read, workspace } = reading({ '.env.local': ENV });
    symlinkSync('.env.local', join(workspace, 'plain.txt'));
    writeFileSync(join(workspace, 'settings'), ENV);
    symlinkSync('settings', join(workspace, '.env'));
    const asked = [
      { path: 'plain.txt' },
      { path: '.env' },
      { path: '.env.local', encoding: 'latin1' },
      { path: '.env.local', offset: 4, limit: 1 },
    ];
    for (const input of asked) {
      const text = textIn(await read(input));
      expect(text).toContain('API_KEY=***');
      expect(text).not.toMatch(/s3cret|postgres/u);
    }
  });

  it.each([
    ['.env', true],
    ['a/.ENV', true],
    ['.codex/auth.json', true],
    ['.claude/.credentials.json', true],
    ['.aws/config', true],
    ['.yarnrc.yml', true],
    ['.config/gcloud/credentials.db', true],
    ['deploy/secret.yaml', true],
    ['.environment', true],
    ['locales/en/auth.json', false],
    ['prod.env.js', false],
    ['.env.production', true],
    ['.env.example', false],
    ['.env.sample', false],
    ['.env.local.template', false],
    ['.env-example', false],
    ['example.env', false],
    ['.envrc', true],
    ['prod.env', true],
    ['.env-prod', true],
    ['.env_local', true],
    ['.env~', true],
    ['.flaskenv', true],
    ['.dev.vars', true],
    ['.dev.vars.staging', true],
    ['.environment.ts', false],
    ['vite-env.d.ts', false],
    ['env', false],
    ['.npmrc', true],
    ['.npmrc.bak', true],
    ['a/.netrc', true],
    ['.aws/credentials', true],
    ['credentials', false],
    ['.docker/config.json', true],
    ['config.json', false],
    ['id_rsa', true],
    ['id_rsa.bak', true],
    ['.id_rsa.swp', true],
    ['#id_rsa#', true],
    ['ID_ED25519', true],
    ['id_work', true],
    ['id_rsa.pub', false],
    ['id_map.ts', false],
    ['server.pem', true],
    ['server.key', true],
    ['.ssh/deploy', true],
    ['.ssh/known_hosts', false],
    ['.ssh/config', false],
    ['keys.ts', false],
    ['monkey.md', false],
    ['prod.env.1', true],
    ['app.env.prod', true],
    ['server.key.1', true],
    ['key.pem.2024-01-01', true],
    ['.npmrc.2', true],
    ['.netrc-old', true],
    ['.pgpass.copy.1', true],
    ['.git-credentials.1', true],
    ['credentials.json', true],
    ['service-account-prod.json', true],
    ['x.tfvars', true],
    ['terraform.tfstate.backup', true],
    ['x.tfvars.example', false],
    ['server.key.ts', false],
    ['app.env.test.ts', false],
    ['id_list.txt', false],
    ['.npmrc.md', false],
    ['secrets.yaml.gpg', false],
  ])('treats %s as secret: %s', (path, expected) => {
    expect(isSecretFile(path)).toBe(expected);
  });

  it.each([
    ['a plain value', 'A=b c # d', 'A=***'],
    ['blanks around the sign', 'A = b', 'A = ***'],
    ['a quoted value of several lines', 'A="x\ny"\nB=1', 'A=***\n***\nB=***'],
    ['single quotes', "A='x'\nB=1", 'A=***\nB=***'],
    ['a backslash that loaders read in two ways', "A='x\\'\n# s\n'", 'A=***\n***\n***'],
    ['an escaped quote', 'A="x\\"\ny"\n# end', 'A=***\n***\n# end'],
    ['a quote that never closes', 'A="x\ny\nz', 'A=***\n***\n***'],
    ['a key without quotes', 'K=-----BEGIN RSA-----\nMIIa==\n-----END RSA-----\nB=', 'K=***\n***\n***\nB='],
    ['a key that stands alone', '-----BEGIN RSA-----\nMIIa==\n-----END RSA-----', '***\n***\n***'],
    ['a value that was commented out', '# OLD_KEY=abc\n#x=y', '# ***\n#***'],
    ['comments that hold a sign', '#E+=v\n# 1P=v\n# - T=v\n# D: v\n# {"Q":"v"}', '#***\n# ***\n# ***\n# ***\n# ***'],
    ['a long word in a comment', '# ghp0123456789abcdefghijkl', '# ***'],
    ['a block in a comment', '# A: |\n#   v\n# end', '# ***\n***\n# end'],
    ['a quoted value in a comment', '# A="v\n# w"\n# end', '# ***\n***\n# end'],
    ['a comment that looks open', "# note: don't\nB=1\n# end", '# ***\nB=***\n# end'],
    ['base64 that looks like a name', 'c2VjcmV0OTk=\nc2VjcmV0OTkx==\nabcd==', '***\n***\n***'],
    ['triple quotes', 'A="""\n# v\n"""\n# end', 'A=***\n***\n***\n# end'],
    ['a here-document', 'A=$(cat <<X\n# v\nX\n)\n# end', 'A=***\n***\n***\n***\n# end'],
    ['a command that goes on', 'A=$(echo\n# v\n)', 'A=***\n***\n***'],
    ['a YAML block', 'A: |-\n  # v\n\n  w: x\nB: y', 'A: ***\n***\n***\n***\nB: ***'],
    ['a backslash before a blank', 'A=b\\ \n# v\n# end', 'A=***\n***\n# end'],
    ['a second quote that stays open', 'A=\'a\'"\n# v\n"', 'A=***\n***\n***'],
    ['a quote that opens where one closed', 'A="a\nb" \'c\n# v', 'A=***\n***\n***'],
    ['an apostrophe', "A=it's\n# v", 'A=***\n***'],
    ['the colon of other loaders', 'A: b', 'A: ***'],
    ['what is no assignment', 'secretsecret', '***'],
    ['a value that goes on', 'A=b\\\nc\nD=', 'A=***\n***\nD='],
    ['Windows endings', 'A=b\r\nC=\r\n', 'A=***\nC=\n'],
  ])('hides %s', (_, text, shown) => {
    expect(redactSecrets(text).text).toBe(shown);
  });

  it('never shows a value in any place, and keeps the number of lines', () => {
    const value = fc
      .constantFrom('"', "'", '`', '\\', '\n', ' ', '#', '=', 'SECRET')
      .chain((a) => fc.constantFrom(`${a}SECRET`, `SECRET${a}`, `"${a}SECRET"`));
    const line = fc
      .tuple(fc.constantFrom('KEY=', 'export KEY=', 'KEY = ', '# KEY='), value)
      .map(([name, text]) => name + text.replace('\n', ' '));
    fc.assert(
      fc.property(fc.array(line, { maxLength: 6 }), (lines) => {
        const { text } = redactSecrets(lines.join('\n'));
        expect(text).not.toContain('SECRET');
        expect(text.split('\n').length).toBe(Math.max(1, lines.length));
      }),
    );
  });
});

describe('the other tools on .env files', () => {
  const calls = [
    ['edit that finds nothing', 'edit', { path: '.env', oldText: 'API_KEY=s3cre7', newText: 'x' }],
    ['edit that is shown only', 'edit', { path: '.env', oldText: 'NAME', newText: 'TITLE', dryRun: true }],
    ['write that is shown only', 'write', { path: '.env', content: 'A=1\n', dryRun: true }],
    ['patch that finds nothing', 'apply_patch', { input: patch('*** Update File: .env\n@@\n-API_KEY=s3cre7\n+A=1') }],
    [
      'patch that is shown only',
      'apply_patch',
      { input: patch('*** Update File: .env\n@@\n-NAME=a\n+NAME=b'), dryRun: true },
    ],
    ['path that resolves', 'path', { verb: 'resolve', path: 'oc://.env/API_KEY' }],
    ['path that finds all', 'path', { verb: 'find', path: 'oc://.env/**' }],
    ['path that resolves the file', 'path', { verb: 'resolve', path: 'oc://.env' }],
    ['path that would add', 'path', { verb: 'set', path: 'oc://.env/+B', value: '2', dryRun: true, diff: true }],
    ['path that finds', 'path', { verb: 'find', path: 'oc://.env.yaml/*' }],
    ['path through a link', 'path', { verb: 'resolve', path: 'oc://plain.yaml/A' }],
    ['path that would set', 'path', { verb: 'set', path: 'oc://.env.yaml/B', value: '2', dryRun: true }],
    ['path that would delete', 'path', { verb: 'delete', path: 'oc://.env.yaml/B', dryRun: true, diff: true }],
    ['patch that deletes', 'apply_patch', { input: patch('*** Delete File: .env'), dryRun: true }],
  ] as const;

  function patch(body: string): string {
    return `*** Begin Patch\n${body}\n*** End Patch`;
  }

  it.each(calls)('quotes no line in an %s', async (_, tool, args) => {
    const workspace = makeFolder({ '.env': 'NAME=a\nAPI_KEY=s3cret\n', '.env.yaml': 'A: s3cret\nB: 1\n' });
    symlinkSync('.env.yaml', join(workspace, 'plain.yaml'));
    const options = { workspace, applyPatch: { byName: true as const }, stateDir: makeFolder({}) };
    expect(JSON.stringify(await assembleTools(options).call(tool, args))).not.toContain('s3cret');
    const open = assembleTools({ ...options, showSecrets: true });
    expect(JSON.stringify(await open.call(tool, args))).toContain('s3cret');
  });

  it('lets path write a hidden value', async () => {
    const workspace = makeFolder({ '.env.yaml': 'A: s3cret\nB: 1\n' });
    const tools = assembleTools({ workspace, stateDir: makeFolder({}) });
    expect((await tools.call('path', { verb: 'resolve', path: 'oc://.env.yaml/A' })).details).toMatchObject({
      code: 'READ_SECRET',
    });
    expect((await tools.call('path', { verb: 'set', path: 'oc://.env.yaml/B', value: '2' })).isError).toBeUndefined();
    const refused = await tools.call('path', { verb: 'set', path: 'oc://.env.yaml/B', value: 'many' });
    expect(refused.error).toBe('the value does not fit; details are hidden because the file contains secrets');
    expect(readFileSync(join(workspace, '.env.yaml'), 'utf8')).toBe('A: s3cret\nB: 2\n');
  });

  it('refuses a patch that renames a hidden file to a visible name', async () => {
    const workspace = makeFolder({ '.env': 'A=s3cret\n' });
    const options = { workspace, applyPatch: { byName: true as const }, stateDir: makeFolder({}) };
    const move = (to: string) => ({ input: patch(`*** Update File: .env\n*** Move to: ${to}`) });
    const refused = await assembleTools(options).call('apply_patch', move('shown.txt'));
    expect(refused.details).toMatchObject({ code: 'READ_SECRET' });
    expect(readFileSync(join(workspace, '.env'), 'utf8')).toBe('A=s3cret\n');
    expect((await assembleTools(options).call('apply_patch', move('.env.old'))).isError).toBeUndefined();
  });
});

describe('rules of the operator', () => {
  it.each([
    ['a.tfvars', { hide: ['*.tfvars'] }, true],
    ['x/config/master.json', { hide: ['config/master.json'] }, true],
    ['x/other/master.json', { hide: ['config/master.json'] }, false],
    ['.env.test', { show: ['.env.test'] }, false],
    ['.env', { show: ['.env.test'] }, true],
    ['.env.test', { hide: ['.env*'], show: ['.env.test'] }, true],
    ['A.TFVARS', { hide: ['*.TfVars'] }, true],
  ])('%s with %j is hidden: %s', (path, rules, expected) => expect(isSecretFile(path, rules)).toBe(expected));

  it.each([
    ['abc', 'a*c', true],
    ['ac', 'a*c', true],
    ['abcd', 'a*c', false],
    ['abcbc', 'a*bc', true],
    ['a', '?', true],
    ['', '?', false],
    ['', '*', true],
    ['b', '[a-c]', true],
    ['d', '[a-c]', false],
    ['d', '[!a-c]', true],
    ['-', '[._-]', true],
    ['[', '[', true],
  ])('%j matches the pattern %j: %s', (text, pattern, expected) =>
    expect(matchesPattern(text, pattern)).toBe(expected),
  );
});

describe('B8: marks of hidden values', () => {
  const OLD = '# note\nA=s3cret\nexport B="x\ny"\nC=\nD=***\n//r/:_authToken=t\n';
  it.each([
    ['A=***\n', 'A'],
    ['A = ***  # c\n', 'A'],
    ["A='***'\n", 'A'],
    ['export A=***\r\n', 'A'],
    ['A: ***\n', 'A'],
    ['B=***\n***\n', 'B, ***'],
    ['***\n', '***'],
    ['C=***\n', 'C=***'],
    ['RENAMED=***\n', 'RENAMED=***'],
    ['2\tA=***\n', 'A'],
    ['"A"="***"\n', 'A'],
    ['A="***";\n', 'A'],
    ['set A=***\n', 'A'],
    ['- A=***\n', 'A'],
    ['//r/:_authToken=***\n', '//r/:_authToken=***'],
    ['{"auths":{"r":{"auth":"***"}}}\n', '{"auths":{"r":{"auth":"***"}}}'],
    ['machine h login u password ***\n', 'machine h login u password ***'],
    ['h:5432:db:u:***\n', 'h:5432:db:u:***'],
    ['A\0=\0*\0*\0*\0\n\0', 'A'],
  ])('are refused: %j', (next, keys) => {
    expect(() => refuseMarks('.env', 'values', OLD, next)).toThrow(`where the file has a value: ${keys}`);
  });

  it.each([
    ['a new value', 'A=new\nB=2\n'],
    ['a value that is the mark', 'D=***\n'],
    ['stars in a value', 'A=a***b\n'],
  ])('are accepted: %s', (_, next) => expect(() => refuseMarks('.env', 'values', OLD, next)).not.toThrow());

  it('are accepted in a new file, except the notice of read', () => {
    expect(() => refuseMarks('.env', 'values', undefined, 'A=***\n')).not.toThrow();
    expect(() => refuseMarks('.env', 'values', undefined, 'A=1\n\n[Values are hidden as ***.]')).toThrow(
      'a notice of read',
    );
  });

  it('keep the rest of a file after a page of read', async () => {
    const workspace = makeFolder({ 'a.txt': 'x\n'.repeat(10) });
    const tools = assembleTools({ workspace, stateDir: makeFolder({}) });
    const page = textIn(await tools.call('read', { path: 'a.txt', limit: 3 }));
    expect((await tools.call('write', { path: 'a.txt', content: page })).details).toMatchObject({ code: 'EDIT_MARKS' });
    expect(readFileSync(join(workspace, 'a.txt'), 'utf8')).toBe('x\n'.repeat(10));
  });
});
