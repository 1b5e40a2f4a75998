import { describe, expect, it } from 'vitest';
import { readDocument, rulesForAgent } from '../../../src/hosts/approvals/document.ts';
import { openApprovalsFile } from '../../../src/hosts/approvals/file.ts';
import { checkRules } from '../../../src/policy/rules/rules-check.ts';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolder } from '../../support/folder.ts';

const read = (document: object) => readDocument(JSON.stringify({ version: 1, ...document }), { checkRules });
const remarks = (document: object) => {
  const said = read(document);
  return 'broken' in said ? said.broken : said.remarks;
};

describe('the document of approvals', () => {
  it('denies for all what is denied beside the sections', () => {
    const said = read({ deny: ['/usr/bin/rm'], defaults: { deny: ['/usr/bin/dd'] }, agents: { main: {} } });
    expect(rulesForAgent(said, 'main').deny).toEqual([{ pattern: '/usr/bin/dd' }, { pattern: '/usr/bin/rm' }]);
    expect(rulesForAgent(said, 'other').deny).toEqual([{ pattern: '/usr/bin/dd' }, { pattern: '/usr/bin/rm' }]);
    expect(read({ deny: ['rm'] })).toEqual({ broken: expect.stringMatching(/^deny\[0\]: the pattern "rm"/u) });
    expect(read({ deny: {} })).toEqual({ broken: 'deny must be a list' });
  });

  it.each<[object, readonly string[]]>([
    [{ socket: {}, defaults: { ask: 'always', autoAllowSkills: true }, agents: { a: { allowlist: ['/bin/ls'] } } }, []],
    [{ security: 'deny' }, ['security has no effect; write it under defaults or agents']],
    [{ allowlist: [] }, ['allowlist has no effect; write it under defaults or agents']],
    [{ denyRules: [] }, ['denyRules has no effect; known keys: version, socket, defaults, agents, deny']],
    [
      { agents: { a: { Deny: [] } } },
      ['agents.a.Deny has no effect; known keys: security, ask, askFallback, allowlist, deny'],
    ],
    [
      { defaults: { allowlist: ['/bin/ls'] } },
      ['defaults.allowlist has no effect; write it under agents, as in agents["*"].allowlist'],
    ],
    [
      { agents: { '*': { allowlist: [{ pattern: '/bin/ls', argpattern: '-l' }] } } },
      [expect.stringMatching(/^agents\.\*\.allowlist\[0\]\.argpattern has no effect; known keys: id, pattern, /u)],
    ],
  ])('reports what has no effect in %j', (document, expected) => {
    expect(remarks(document)).toEqual(expected);
  });

  it('is reported and preserved by its file', () => {
    const path = join(makeFolder(), 'exec-approvals.json');
    const file = openApprovalsFile({ path, checkRules });
    expect(file.remarks()).toEqual([]);
    writeFileSync(path, '{"version": 1, "ask": "off"}', { mode: 0o600 });
    file.add('main', [{ pattern: '/bin/ls' }]);
    expect([file.remarks(), file.show().file]).toEqual([
      ['ask has no effect; write it under defaults or agents'],
      expect.objectContaining({ ask: 'off' }),
    ]);
    writeFileSync(path, '{', { mode: 0o600 });
    expect(file.remarks()).toEqual([]);
  });
});
