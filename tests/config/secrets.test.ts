import { describe, expect, it } from 'vitest';
import { maskedDiff } from '../../src/config/edit/masked-diff.ts';
import { withoutSecrets } from '../../src/config/secrets/without-secrets.ts';

const TOKEN = `ghp_${'a1B2'.repeat(9)}`;

describe('a value of the configuration on a screen', () => {
  it.each<[unknown, readonly string[], unknown]>([
    [{ apiToken: 'abc', host: 'gateway' }, [], { apiToken: '***', host: 'gateway' }],
    [{ env: { PLAIN: 'a password', LANG: 'C' } }, ['sandbox'], { env: { PLAIN: '***', LANG: '***' } }],
    ['a password', ['agents', 'list', '0', 'sandbox', 'env', 'PLAIN'], '***'],
    [{ argv: ['curl', '--token', 'abc'] }, ['rules', '0'], { argv: ['***'] }],
    [{ argv: ['git', 'push'] }, ['rules', '0'], { argv: ['git', 'push'] }],
    [{ limits: { pids: 64 }, binds: [] }, ['sandbox'], { limits: { pids: 64 }, binds: [] }],
    [undefined, ['tools'], undefined],
  ])('%j at %j is shown as %j', (value, path, shown) => {
    expect(withoutSecrets(value, path)).toEqual(shown);
  });
});

describe('a diff of the configuration on a screen', () => {
  const before = "{ sandbox: { env: { PLAIN: 'a \\'password', lang: \"C\" } }, tools: { exec: { host: 'node' } } }";

  it.each([
    [` ${before}`, ' { sandbox: { env: { PLAIN: "***", lang: "***" } }, tools: { exec: { host: \'node\' } } }'],
    ['-      "PLAIN": "a password",', '-      "PLAIN": "***",'],
    ['+      PLAIN: "not ended \\', '+      PLAIN: "***"\\'],
    ['+      "host": "gateway",', '+      "host": "gateway",'],
    ['       // PLAIN is a variable', '       // PLAIN is a variable'],
    ['--- /home/x/token: y', '--- /home/x/token: y'],
    ['@@ -1,2 +1,2 @@', '@@ -1,2 +1,2 @@'],
  ])('%j is shown as %j', async (line, shown) => {
    expect(await maskedDiff({ diff: line, before, after: '' })).toBe(shown);
  });

  it.each([
    [`+{"apiKey":"abc","x":"y","n":1}`, `+{"apiKey": "***","x":"y","n":1}`],
    ["+  'api-token' : 'a\\'b', // fine", '+  \'api-token\' : "***", // fine'],
    [`+  reason: "not with ${TOKEN}", y: 2`, '+  reason: "not with ***", y: 2'],
    [`-  x: [ "a", "${TOKEN}" ],`, '-  x: [ "a", "***" ],'],
    ['   // password: hunter2', '   // password:***'],
    ['   /* token=abc */ host: "node"', '   /* token=*** */ host: "node"'],
  ])('masks secrets by their names and forms: %j is shown as %j', async (line, shown) => {
    expect(await maskedDiff({ diff: line, before: '', after: '{}' })).toBe(shown);
  });
});
