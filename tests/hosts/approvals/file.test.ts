import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openApprovalsFile } from '../../../src/hosts/approvals/file.ts';
import type { CheckRules } from '../../../src/hosts/approvals/shape.ts';
import { makeFolder } from '../../support/folder.ts';
import { faultOf } from '../../support/fault.ts';
import { withFailure } from '../../support/failing-fs.ts';
import { fc, runs } from '../../support/property.ts';

/** Stands for policy: a rule with the reason `bad` has a problem. */
const checkRules: CheckRules = (rules) =>
  rules.flatMap(({ reason }, index) => (reason === 'bad' ? [{ index, message: 'its example fails' }] : []));

const DENIES = { security: 'deny', askFallback: 'deny', allowlist: [], deny: [] };

function place(text?: string) {
  const folder = join(makeFolder(), 'state');
  mkdirSync(folder, { mode: 0o700 });
  const path = join(folder, 'exec-approvals.json');
  if (text !== undefined) writeFileSync(path, text, { mode: 0o600 });
  return { path, text: () => readFileSync(path, 'utf8'), open: () => openApprovalsFile({ path, checkRules }) };
}

const withAgents = (agents: unknown, more: object = {}) => JSON.stringify({ version: 1, ...more, agents });

describe('the approvals file', () => {
  it('has no rules while it does not exist, and reading does not create it', () => {
    const { path, open } = place();
    const file = open();
    expect([file.rulesFor('main'), file.show(), existsSync(path)]).toEqual([
      { allowlist: [], deny: [] },
      {
        path,
        exists: false,
        hash: 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
        file: { version: 1, defaults: {}, agents: {} },
      },
      false,
    ]);
  });

  it("returns an agent's own values, then those of all agents, then the defaults, with combined lists", () => {
    const { open } = place(
      withAgents(
        {
          main: { ask: 'always', allowlist: [{ id: '1', pattern: '/bin/ls' }], deny: ['/bin/dd'] },
          '*': { ask: 'off', askFallback: 'allowlist', allowlist: ['/bin/cat'], deny: [{ pattern: '/bin/rm' }] },
        },
        { defaults: { security: 'allowlist', ask: 'off', askFallback: 'full', deny: ['/sbin/**'] } },
      ),
    );
    const file = open();
    expect({ main: file.rulesFor('main'), other: file.rulesFor('other') }).toEqual({
      main: {
        security: 'allowlist',
        ask: 'always',
        askFallback: 'allowlist',
        allowlist: [{ id: '1', pattern: '/bin/ls' }, { pattern: '/bin/cat' }],
        deny: [{ pattern: '/bin/dd' }, { pattern: '/bin/rm' }, { pattern: '/sbin/**' }],
      },
      other: {
        security: 'allowlist',
        ask: 'off',
        askFallback: 'allowlist',
        allowlist: [{ pattern: '/bin/cat' }],
        deny: [{ pattern: '/bin/rm' }, { pattern: '/sbin/**' }],
      },
    });
  });

  it('reads every member of an entry', () => {
    const entry = {
      id: 'x',
      pattern: '/usr/bin/git',
      argPattern: 'log.*',
      args: ['log', 'diff --stat'],
      reason: 'reading',
      match: ['git log'],
      notMatch: ['git push'],
      source: 'allow-always',
      cwd: '/home/ann',
      argv: ['log'],
      lastUsedAt: 1763260000000,
      lastUsedCommand: 'git log',
      lastResolvedPath: '/usr/bin/git',
    };
    const { open } = place(withAgents({ main: { allowlist: [entry] } }));
    expect(open().rulesFor('main').allowlist).toEqual([entry]);
  });

  it('reads ~ as the home of the user, and passes over a bare name that would allow', () => {
    const { path } = place(withAgents({ main: { allowlist: ['~/bin/x', 'rg', '~eve/x'], deny: ['~/bin/y'] } }));
    const only =
      (...kinds: string[]): CheckRules =>
      (rules, kind) =>
        rules.flatMap(({ pattern }, index) =>
          pattern.startsWith('/') || !kinds.includes(kind ?? '') ? [] : [{ index, message: pattern }],
        );
    const rules = (home?: string, ...kinds: string[]) =>
      openApprovalsFile({ path, checkRules: only(...kinds), ...(home === undefined ? {} : { home }) }).rulesFor('main');
    expect([rules('/home/ann', 'deny'), rules('/home/ann', 'allow').broken, rules(undefined, 'deny').broken]).toEqual([
      {
        allowlist: [{ pattern: '/home/ann/bin/x' }, { pattern: 'rg' }, { pattern: '~eve/x' }],
        deny: [{ pattern: '/home/ann/bin/y' }],
      },
      'agents.main.allowlist[2]: ~eve/x',
      'agents.main.deny[0]: ~/bin/y',
    ]);
  });

  it('knows the main agent by its old name', () => {
    const { open, text } = place(
      withAgents({
        default: { security: 'full', ask: 'off', allowlist: ['/bin/a'], deny: ['/bin/b'], kept: 1 },
        main: { security: 'allowlist', allowlist: [{ pattern: '/bin/c' }] },
      }),
    );
    const file = open();
    const rules = {
      security: 'allowlist',
      ask: 'off',
      allowlist: [expect.objectContaining({ pattern: '/bin/c' }), expect.objectContaining({ pattern: '/bin/a' })],
      deny: [{ pattern: '/bin/b' }],
    };
    expect([file.rulesFor('main'), file.rulesFor('default')]).toEqual([rules, rules]);
    file.add('default', [{ pattern: '/bin/d' }]);
    const id = expect.stringMatching(/^[0-9a-f-]{36}$/u);
    expect(JSON.parse(text())).toEqual({
      version: 1,
      agents: {
        main: {
          security: 'allowlist',
          allowlist: [
            { id, pattern: '/bin/c' },
            { id, pattern: '/bin/a' },
            { id, pattern: '/bin/d' },
          ],
          ask: 'off',
          deny: ['/bin/b'],
          kept: 1,
        },
      },
    });
  });

  it.each([
    ['no JSON', '{"version": 1,\n oops', 'it is not JSON: line 2: expected a key in double quotes'],
    ['nothing', '', 'it is not JSON: line 1: a value is missing'],
    ['a list', '[]', 'the file must be an object'],
    ['another version', '{"version": 3}', 'version must be 1 or 2, not 3'],
    ['no version', '{"agents": {}}', 'version must be 1 or 2, not missing'],
    ['a version in words', '{"version": "1"}', 'version must be 1 or 2, not "1"'],
    ['agents that are a list', withAgents([]), 'agents must be an object'],
    ['an agent that is a word', withAgents({ a: 'full' }), 'agents.a must be an object'],
    [
      'a misspelt security',
      withAgents({ a: { security: 'denny' } }),
      'agents.a.security must be deny or allowlist or full, not "denny"',
    ],
    [
      'a misspelt ask',
      withAgents({}, { defaults: { ask: 1 } }),
      'defaults.ask must be off or on-miss or always, not 1',
    ],
    [
      'a fallback of nothing',
      withAgents({ a: { askFallback: null } }),
      'agents.a.askFallback must be deny or allowlist or full, not null',
    ],
    ['a list that is none', withAgents({ a: { deny: {} } }), 'agents.a.deny must be a list'],
    [
      'an entry without pattern',
      withAgents({ a: { allowlist: [{ id: 'x' }] } }),
      'agents.a.allowlist[0]: it has no pattern',
    ],
    [
      'an empty pattern',
      withAgents({ a: { allowlist: ['/bin/ls', ' '] } }),
      'agents.a.allowlist[1]: it has no pattern',
    ],
    [
      'an entry that is a number',
      withAgents({ a: { allowlist: [1] } }),
      'agents.a.allowlist[0]: an entry must be a pattern or an object with a pattern',
    ],
    [
      'arguments in a row',
      withAgents({ a: { allowlist: [{ pattern: '/x', args: 'log' }] } }),
      'agents.a.allowlist[0]: args must be a list of strings',
    ],
    [
      'a folder that is none',
      withAgents({ a: { allowlist: [{ pattern: '/x', cwd: 1 }] } }),
      'agents.a.allowlist[0]: cwd must be a string',
    ],
    [
      'a failing example',
      withAgents({ a: { deny: ['/x', { pattern: '/y', reason: 'bad' }] } }),
      'agents.a.deny[1]: its example fails',
    ],
    [
      'a key that is said twice',
      '{"version": 1, "agents": {"a": {"security": "deny", "security": "full"}}}',
      'agents.a contains "security" twice',
    ],
    [
      'an entry that says its arguments twice',
      '{"version": 1, "agents": {"a": {"allowlist": [{"pattern": "/x", "args": ["a"], "args": []}]}}}',
      'agents.a.allowlist[0]: it contains "args" twice',
    ],
    ['bytes that are no text', '\u{fffd}', 'it is not UTF-8 text'],
  ])('denies everything, and does not change the file, with %s', (_, text, broken) => {
    const { path, open } = place();
    const bytes = text === '\u{fffd}' ? Buffer.from([0xff, 0xfe]) : Buffer.from(text);
    writeFileSync(path, bytes, { mode: 0o600 });
    const file = open();
    expect(file.rulesFor('a')).toEqual({ ...DENIES, broken });
    expect(faultOf(() => file.add('a', [{ pattern: '/bin/ls' }]))).toEqual({
      code: 'EXEC_APPROVALS_BROKEN',
      message: `the approvals file ${path} is not used, so every judged command is denied: ${broken}`,
      hint: 'fix the file, or replace it with pincer approvals set; pincer does not change it until then',
    });
    file.used('a', { pattern: '/bin/ls' }, 'ls', '/bin/ls');
    file.flush();
    expect(readFileSync(path).equals(bytes)).toBe(true);
    const hash = file.show().hash;
    file.replace({ version: 1 }, hash);
    expect(file.rulesFor('a')).toEqual({ allowlist: [], deny: [] });
  });

  it.each([
    ['a symbolic link', (path: string) => symlinkSync('/etc/passwd', path), 'it is a symlink'],
    ['a folder', (path: string) => mkdirSync(path), 'it is not a regular file'],
    ['a file that others may write', (path: string) => writeAs(path, 0o602), 'other users can write to it'],
    ['a file that the group may write', (path: string) => writeAs(path, 0o620), 'other users can write to it'],
    [
      'a folder that others may write',
      (path: string) => {
        writeAs(path, 0o600);
        chmodSync(dirname(path), 0o777);
      },
      undefined,
    ],
  ])('refuses %s, for reading and for writing', (_, make, why) => {
    const { path, open } = place();
    make(path);
    const broken = why ?? `other users can write to ${dirname(path)}`;
    const file = open();
    expect(file.rulesFor('main')).toEqual({ ...DENIES, broken });
    const target = lstatSync(path).ino;
    const codes = [
      () => file.add('main', [{ pattern: '/bin/ls' }]),
      () => file.remove('main', '/bin/ls'),
      () => file.replace({ version: 1 }, file.show().hash),
    ].map((work) => faultOf(work).code);
    expect(codes).toEqual(Array(3).fill(why === undefined ? 'FS_STATE_UNUSABLE' : 'EXEC_APPROVALS_UNSAFE'));
    expect(lstatSync(path).ino).toBe(target);
  });

  it('takes the right to read from others', () => {
    const { path, open } = place(withAgents({ main: { security: 'allowlist' } }));
    chmodSync(path, 0o644);
    expect([open().rulesFor('main').security, lstatSync(path).mode & 0o777]).toEqual(['allowlist', 0o600]);
  });

  it('writes readable JSON, privately, and leaves no temporary file', () => {
    const { path, open, text } = place();
    const [stored] = open().add('main', [{ pattern: '/usr/bin/rg', args: ['--files'], reason: 'search' }]);
    expect(text()).toBe(`{
  "version": 1,
  "defaults": {},
  "agents": {
    "main": {
      "allowlist": [
        {
          "id": "${stored?.id}",
          "pattern": "/usr/bin/rg",
          "args": [
            "--files"
          ],
          "reason": "search"
        }
      ]
    }
  }
}
`);
    expect(lstatSync(path).mode & 0o777).toBe(0o600);
    expect(readdirSync(dirname(path)).sort()).toEqual(['exec-approvals.json', 'locks', 'tickets']);
  });

  it('keeps keys and numbers that it does not know, through every change', () => {
    const text = `{"future": {"id": 9007199254740993, "n": 1.10}, "version": 1, "socket": {"path": "/s", "token": "secret"},
      "agents": {"main": {"autoAllowSkills": true, "new": [1e3], "allowlist": [{"pattern": "/bin/ls", "mcpTools": ["x"]}]},
        "__proto__": {"security": "deny"}}}`;
    const { open, text: now } = place(text);
    const file = open();
    const [added] = file.add('main', [{ pattern: '/bin/cat' }]);
    file.used('main', { pattern: '/bin/ls' }, 'ls -l', '/usr/bin/ls');
    file.flush();
    file.remove('main', added?.id ?? '');
    expect(now()).toContain('"id": 9007199254740993,\n    "n": 1.10');
    expect(now()).toContain('1e3');
    expect(JSON.parse(now())).toEqual(
      JSON.parse(`{"future": {"id": 9007199254740993, "n": 1.10}, "version": 1, "socket": {"path": "/s", "token": "secret"},
      "agents": {"main": {"autoAllowSkills": true, "new": [1000], "allowlist": [
        {"id": ${/"id": ("[0-9a-f-]{36}")/u.exec(now())?.[1]}, "pattern": "/bin/ls", "mcpTools": ["x"], "lastUsedAt": ${/"lastUsedAt": (\d+)/u.exec(now())?.[1]}, "lastUsedCommand": "ls -l", "lastResolvedPath": "/usr/bin/ls"}]},
        "__proto__": {"security": "deny"}}}`),
    );
    expect(file.rulesFor('__proto__').security).toBe('deny');
    expect(file.rulesFor('constructor')).toEqual({ allowlist: [], deny: [] });
  });

  it('shows the document without the token, and keeps the token when that is written back', () => {
    const { open, text } = place('{"version": 1, "socket": {"path": "/s", "token": "secret"}, "agents": {}}');
    const file = open();
    const { file: document, hash } = file.show();
    expect(document).toEqual({ version: 1, socket: { path: '/s' }, agents: {} });
    file.replace({ ...(document as object), defaults: { ask: 'always' } }, hash);
    expect(JSON.parse(text())).toEqual({
      version: 1,
      socket: { path: '/s', token: 'secret' },
      agents: {},
      defaults: { ask: 'always' },
    });
  });

  it.each([
    ['is not JSON', '{"version": 1, "socket": {"token": "secret"}, "agents": {', null],
    ['is not an object', '["secret"]', null],
    ['has another version', '{"version": 9, "socket": {"token": "secret"}}', { version: 9, socket: {} }],
    ['has two sockets', '{"socket": {"token": "secret"}, "socket": {"token": "secret"}}', { socket: {} }],
  ])('does not show the token of a file that %s', (_, content, document) => {
    const file = place(content).open();
    expect([file.rulesFor('main').broken === undefined, file.show().file]).toEqual([false, document]);
  });

  it('keeps the token of an invalid file that is replaced', () => {
    const { open, text } = place('{"version": 9, "socket": {"path": "/s", "token": "secret"}}');
    const file = open();
    file.replace({ version: 1, socket: { path: '/s' }, agents: {} }, file.show().hash);
    expect(JSON.parse(text())).toMatchObject({ socket: { path: '/s', token: 'secret' } });
  });

  it('replaces only the file that was read', () => {
    const { path, open, text } = place(withAgents({}));
    const file = open();
    const { hash } = file.show();
    open().add('main', [{ pattern: '/bin/ls' }]);
    const now = text();
    expect(faultOf(() => file.replace({ version: 1 }, hash))).toMatchObject({
      code: 'EXEC_APPROVALS_CHANGED',
      message: `the approvals file ${path} was changed since it was read`,
    });
    expect(text()).toBe(now);
  });

  it.each([
    ['text', 'x', 'the file must be an object'],
    ['another version', { version: 3 }, 'version must be 1 or 2, not 3'],
    [
      'a failing example',
      { version: 1, agents: { a: { allowlist: [{ pattern: '/x', reason: 'bad' }] } } },
      'agents.a.allowlist[0]: its example fails',
    ],
  ])('writes nothing that it could not use: %s', (_, given, why) => {
    const { path, open } = place();
    const file = open();
    expect(faultOf(() => file.replace(given, file.show().hash))).toMatchObject({
      code: 'EXEC_APPROVALS_INVALID',
      message: `invalid approvals: ${why}`,
    });
    expect(faultOf(() => file.add('a', [{ pattern: '/x', reason: 'bad' }])).code).toBe('EXEC_APPROVALS_INVALID');
    expect(existsSync(path)).toBe(false);
  });

  it('adds an entry once, and removes it by id or by a pattern that only it has', () => {
    const { open } = place();
    const file = open();
    const [first, second] = file.add('main', [{ pattern: '/bin/ls' }, { pattern: '/bin/ls', args: ['-l'] }]);
    expect(file.add('main', [{ pattern: '/bin/ls', reason: 'again' }])).toEqual([first]);
    expect(faultOf(() => file.remove('main', '/bin/ls'))).toMatchObject({ code: 'EXEC_APPROVALS_AMBIGUOUS' });
    expect([file.remove('main', 'none'), file.remove('other', '/bin/ls')]).toEqual([undefined, undefined]);
    expect(file.remove('main', second?.id ?? '')).toEqual(second);
    expect(file.remove('main', '/bin/ls')).toEqual(first);
    expect(file.rulesFor('main').allowlist).toEqual([]);
  });

  it('sees immediately what another process wrote, also within the same clock tick', () => {
    const { path, open } = place();
    const file = open();
    const seen = Array.from({ length: 200 }, (_, i) => {
      writeFileSync(path, withAgents({ main: { allowlist: [`/bin/${i % 10}`] } }), { mode: 0o600 });
      return file.rulesFor('main').allowlist[0]?.pattern;
    });
    expect(seen).toEqual(seen.map((_, i) => `/bin/${i % 10}`));
  });

  it("records uses in the agent's entry or that of all agents, in batches, at most once per interval", () => {
    const { path, text } = place(withAgents({ '*': { allowlist: [{ id: 'a', pattern: '/bin/ls' }] } }));
    let time = 5000;
    const file = openApprovalsFile({ path, checkRules, now: () => time });
    const [entry] = file.rulesFor('main').allowlist;
    for (let i = 0; i < 100; i++) file.used('main', entry!, `ls ${i}`, '/usr/bin/ls');
    file.flush();
    const noted = JSON.parse(text()) as { agents: { '*': { allowlist: unknown[] } } };
    expect(noted.agents['*'].allowlist).toEqual([
      { id: 'a', pattern: '/bin/ls', lastUsedAt: 5000, lastUsedCommand: 'ls 99', lastResolvedPath: '/usr/bin/ls' },
    ]);
    time += 1;
    const before = text();
    file.used('main', { id: 'gone', pattern: '/bin/gone' }, 'gone', '/bin/gone');
    file.flush();
    expect(text()).toBe(before);
  });

  it('keeps the old file when any step of a write fails', () => {
    const { path, open, text } = place(withAgents({ main: { allowlist: ['/bin/ls'] } }));
    const before = text();
    let failures = 0;
    for (let n = 1; ; n++) {
      const { fired, error } = withFailure(n, 'ENOSPC', () => open().add('main', [{ pattern: '/bin/new' }]));
      if (!fired) break;
      failures++;
      const isNew = text() !== before;
      // Behind the last step the new file stands, and only its durability is in doubt.
      const code = isNew ? 'FS_NOT_DURABLE' : expect.stringMatching(/^(?:EXEC_APPROVALS|FS)_/u);
      expect(error).toMatchObject({ name: 'Fault', code });
      if (isNew) writeFileSync(path, before);
    }
    expect(failures).toBeGreaterThan(3);
    expect(readdirSync(dirname(path)).filter((name) => name.endsWith('tmp'))).toEqual([]);
  });

  it('never allows by what it does not understand', () => {
    const { path, open } = place();
    const file = open();
    fc.assert(
      fc.property(
        fc.oneof(
          fc.json(),
          fc.string(),
          fc.json().map((json) => `{"version": 1, "agents": ${json}}`),
        ),
        (text) => {
          writeFileSync(path, text, { mode: 0o600 });
          const rules = file.rulesFor('main');
          if (rules.broken !== undefined) expect(rules).toEqual({ ...DENIES, broken: rules.broken });
          else expect([rules.allowlist, rules.security ?? 'deny']).toEqual([[], 'deny']);
        },
      ),
      { numRuns: runs(300) },
    );
  });
});

function writeAs(path: string, mode: number): void {
  writeFileSync(path, withAgents({ main: { security: 'full' } }));
  chmodSync(path, mode);
}
