import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ApprovalsIo } from '../../../../src/apps/cli/approvals/process-io.ts';
import { runApprovals } from '../../../../src/apps/cli/approvals/run.ts';
import { makeFolder } from '../../../support/folder.ts';
import { desk } from './desk.ts';

const json = (text: string): unknown => JSON.parse(text);

describe('pincer approvals list and show', () => {
  it('shows to people all that is needed to decide', async () => {
    const place = await desk();
    const { slug } = place.ask();
    expect(await place.run('list')).toEqual({
      code: 0,
      err: '',
      out: `${slug}  1m 42s left  claude-code  in /home/ann/project
  rm -rf "build dir"
  ^^
  why: no rule allows /usr/bin/rm (allowlist-miss)
  runs: /usr/bin/rm
  env: LANG=C
`,
    });
  });

  it('escapes what cannot be seen, says so, and shortens nothing', async () => {
    const place = await desk();
    const long = 'x'.repeat(9000);
    place.ask(
      {
        command: `ls \u202e\u001b[2J\n${long}`,
        agent: 'ev\u001bil',
        cwd: '/a\nb',
        env: { A: 'x\u202e; evil\n  env: B=1' },
      },
      { at: undefined, reason: 'a\u001breason', explicit: true },
    );
    const { out } = await place.run();
    expect(out).toContain(`  ls \\u202e\\u001b[2J\\u000a${long}\n`);
    expect(out).toContain('warning: 3 invisible characters are shown as \\u…');
    expect(out).toContain('claude-code (ev\\u001bil)  in /a\\u000ab\n');
    expect(out).toContain('why: a\\u001breason (allowlist-miss; only a person can allow it)');
    expect(out).toContain('  env: A="x\\u202e; evil\\n  env: B=1"\n');
    expect(['\u001b', '\u202e'].filter((char) => out.includes(char))).toEqual([]);
  });

  it('gives programs everything as JSON, and what was answered with --all', async () => {
    const place = await desk({ isTerminal: false });
    const first = place.ask();
    const second = place.ask({ command: 'ls' });
    place.store.resolve(first.id, 'deny', 'bob');
    const all = [second, place.store.find(first.id)];
    expect([json((await place.run('list')).out), json((await place.run('list', '--all')).out)]).toEqual([
      { approvals: [second], more: 0 },
      { approvals: all, more: 0 },
    ]);
    expect(json((await place.run('list', '--all', '--limit', '1')).out)).toEqual({ approvals: [second], more: 1 });
    expect(json((await place.run('show', second.slug)).out)).toEqual(second);
  });

  it('shows who answered, when, and how it ended', async () => {
    const place = await desk();
    const { id, slug } = place.ask();
    place.store.resolve(id, 'allow-once', 'b\u001bob');
    place.store.note(id, { sessionId: 'brisk-otter', outcome: 'code 0' });
    expect((await place.run('list', '--all')).out).toBe(`${slug}  allow-once  claude-code  in /home/ann/project
  rm -rf "build dir"
  ^^
  why: no rule allows /usr/bin/rm (allowlist-miss)
  runs: /usr/bin/rm
  env: LANG=C
  answer: allow-once by b\\u001bob, 1970-01-01T00:16:40.000Z
  session: brisk-otter
  outcome: code 0
`);
  });

  it('says that nothing waits', async () => {
    const place = await desk();
    expect([(await place.run()).out, (await place.run('list', '--all')).out]).toEqual([
      'no pending approval requests\n',
      'no approval requests yet\n',
    ]);
  });

  it('shows one with all that it is bound to', async () => {
    const place = await desk();
    const { id, slug } = place.ask();
    place.store.resolve(id, 'allow-once', 'bob');
    place.store.note(id, { sessionId: 'brisk-otter', outcome: 'code 0' });
    const { out } = await place.run('show', slug);
    expect(out).toBe(`${id}  allow-once
  rm -rf "build dir"
  ^^
  why: no rule allows /usr/bin/rm (allowlist-miss)
  client: claude-code
  agent: main
  conversation: c1
  host: gateway
  folder: /home/ann/project
  runs: /usr/bin/rm
    rm -rf "build dir"
  env: LANG=C
  always would store:
    /usr/bin/rm  with exactly: -rf "build dir"  in /home/ann/project
  asked: 1970-01-01T00:16:40.000Z
  answer: allow-once by bob, 1970-01-01T00:16:40.000Z
  session: brisk-otter
  outcome: code 0
`);
  });

  it('shows long values of variables whole only when asked for, and says what is missing', async () => {
    const place = await desk();
    const { slug } = place.ask({ env: { EMPTY: '', LONG: 'x'.repeat(1_003) } });
    const cut = `  env: EMPTY=""\n  env: LONG=${'x'.repeat(1_000)}… and 3 more characters: pincer approvals show ${slug} --env\n`;
    expect((await place.run()).out).toContain(cut);
    expect((await place.run('show', slug)).out).toContain(cut);
    expect((await place.run('show', slug, '--env')).out).toContain(`  env: LONG=${'x'.repeat(1_003)}\n`);
  });

  it('fails with the code of the daemon for an id that it does not know', async () => {
    const place = await desk();
    expect(await place.run('show', 'ffffffff')).toMatchObject({
      out: '',
      err: expect.stringMatching(/^APPROVAL_UNKNOWN/u),
    });
  });
});

describe('pincer approvals allow and deny', () => {
  it.each([
    ['allow', 'allow-once', 'allowed'],
    ['deny', 'deny', 'denied'],
  ])('%s answers once, and a second answer hears of the first', async (verb, decision, word) => {
    const place = await desk();
    const { id, slug } = place.ask();
    expect(await place.run(verb, slug)).toEqual({ code: 0, err: '', out: `${word} ${slug}: rm -rf "build dir"\n` });
    expect(await place.run('deny', slug)).toEqual({
      code: 1,
      err: '',
      out: `refused: already-resolved — approval ${slug} was already answered with ${decision} by ann
hint: only the first answer counts; run the command again to get a new approval request
`,
    });
    expect(place.store.find(id)).toMatchObject({ decision, resolvedBy: 'ann' });
  });

  it.each([
    ['allow', 'allowed'],
    ['deny', 'denied'],
  ])('%s answers all calls that ask the same, and says how many', async (verb, word) => {
    const place = await desk();
    const { id, slug } = place.ask();
    const joined = [place.ask(), place.ask()];
    expect((await place.run('list')).out).toContain('  waiting: 3 calls, each runs once after the answer\n');
    expect((await place.run('show', joined[1]!.slug)).out).toContain(`  waiting: for the answer to ${slug}\n`);
    expect(await place.run(verb, joined[1]!.slug)).toEqual({
      code: 0,
      err: '',
      out: `${word} ${joined[1]!.slug}: rm -rf "build dir"\nalso 2 other calls of it\n`,
    });
    expect([id, ...joined.map((each) => each.id)].map((each) => place.store.find(each))).toEqual(
      Array(3).fill(expect.objectContaining({ state: word, resolvedBy: 'ann' })),
    );
  });

  it('tells programs how many calls wait, and how many were answered', async () => {
    const place = await desk({ isTerminal: false });
    const { id, slug } = place.ask();
    place.ask();
    const question = place.store.find(id);
    expect(question).toMatchObject({ id, waiting: 2 });
    expect(json((await place.run('list')).out)).toEqual({ approvals: [question], more: 0 });
    expect(json((await place.run('allow', slug)).out)).toEqual({
      ok: true,
      approval: place.store.find(id),
      stored: [],
      others: 1,
    });
  });

  it('answers programs with what was decided and stored', async () => {
    const place = await desk({ isTerminal: false });
    const { id, slug } = place.ask();
    const { code, out } = await place.run('allow', slug, '--always', '--yes');
    const stored = place.file.rulesFor('main').allowlist;
    expect([code, json(out)]).toEqual([0, { ok: true, approval: place.store.find(id), stored }]);
    expect(stored).toEqual([
      {
        id: expect.any(String),
        pattern: '/usr/bin/rm',
        argv: ['-rf', 'build dir'],
        cwd: '/home/ann/project',
        source: 'allow-always',
      },
    ]);
  });

  it.each([
    ['y', 0, 'allow-always'],
    ['n', 1, undefined],
    ['C-c', 1, undefined],
  ])(
    'shows what is stored for always before it is stored, and stores it with the key y: %s',
    async (key, code, decision) => {
      const place = await desk({ keyboard: true });
      const { id, slug } = place.ask();
      const running = place.run('allow', slug, '--always');
      await place.sees('store this entry and run the command? [y/N]');
      const shown = `  always would store for main:
    /usr/bin/rm  with exactly: -rf "build dir"  in /home/ann/project
`;
      expect(place.text()).toContain(shown);
      expect([existsSync(place.file.path), place.store.find(id)]).toEqual([
        false,
        expect.objectContaining({ state: 'pending' }),
      ]);
      place.press(key);
      expect((await running).code).toBe(code);
      expect((place.store.find(id) as { decision?: string }).decision).toBe(decision);
      expect(place.file.rulesFor('main').allowlist).toHaveLength(decision === undefined ? 0 : 1);
    },
  );

  it('stores nothing with --dry-run, and does not ask with --yes', async () => {
    const place = await desk({ keyboard: true });
    const { id, slug } = place.ask();
    expect(await place.run('allow', slug, '--always', '--dry-run')).toMatchObject({ code: 0 });
    expect([existsSync(place.file.path), place.store.list('pending').length]).toEqual([false, 1]);
    const { code, out } = await place.run('allow', slug, '--always', '--yes');
    expect([code, out]).toEqual([0, expect.stringMatching(/stored for main: \/usr\/bin\/rm/u)]);
    expect(place.store.find(id)).toMatchObject({ decision: 'allow-always' });
  });

  it.each([
    ['no keyboard', { keyboard: false }, []],
    ['an answer for programs', { keyboard: true }, ['--json']],
  ])('stores nothing that nobody saw: %s', async (_, options, flags) => {
    const place = await desk(options);
    const { slug } = place.ask();
    const { code, out, err } = await place.run('allow', slug, '--always', ...flags);
    expect([code, out, err.includes('--dry-run') && err.includes('--yes')]).toEqual([2, '', true]);
    expect([existsSync(place.file.path), place.store.list('pending').length]).toEqual([false, 1]);
  });

  it('says that nothing ran or was stored although it was allowed, and where the output is', async () => {
    const place = await desk();
    const { id, slug } = place.ask();
    const notes = { notStored: 'the disk is full', notRun: '/usr/bin/rm is not what was approved' };
    const gateway = await place.io.connect();
    const answering = (more: object): ApprovalsIo => ({
      ...place.io,
      connect: () =>
        Promise.resolve({
          ...gateway,
          call: async () => ({ ok: true, approval: place.store.find(id), stored: [], ...more }) as never,
        }),
    });
    let out = '';
    const output = {
      ...place.output,
      out: (text: string | Uint8Array) => void (out += Buffer.from(text as string).toString()),
    };
    expect(await runApprovals(['allow', slug], output, answering(notes))).toBe(1);
    place.store.note(id, { sessionId: 'brisk-otter' });
    expect(await runApprovals(['allow', slug], output, answering({}))).toBe(0);
    expect(out).toBe(`allowed ${slug}: rm -rf "build dir"
not stored: the disk is full
not run: /usr/bin/rm is not what was approved
allowed ${slug}, session brisk-otter: rm -rf "build dir"
output: pincer logs brisk-otter
`);
  });

  it('says that nothing can be stored, and leaves the question', async () => {
    const place = await desk({ keyboard: true });
    const { slug } = place.ask({}, { proposal: undefined });
    const { code, out } = await place.run('allow', slug, '--always');
    expect([code, out]).toEqual([1, expect.stringMatching(/nothing can be stored[^]*refused: not-storable/u)]);
    expect(place.store.list('pending')).toHaveLength(1);
  });
});

describe('pincer approvals allowlist', () => {
  it('adds for all agents or for one, lists with the last use, and removes by id or pattern', async () => {
    const place = await desk();
    const added = await place.run(
      'allowlist',
      'add',
      '/usr/bin/git',
      '--agent',
      'main',
      '--args',
      'log| diff --stat',
      '--reason',
      'reading',
    );
    const [git] = place.file.rulesFor('main').allowlist;
    expect(added).toEqual({
      code: 0,
      err: '',
      out: `allowed main  ${git?.id}  /usr/bin/git  with: log | diff --stat  (reading)\n`,
    });
    await place.run('allowlist', 'add', '/usr/bin/rg');
    const [rg] = place.file.rulesFor('*').allowlist;
    place.file.used('main', rg!, 'rg \u202e', '/usr/bin/rg');
    place.file.flush();
    const used = place.file.rulesFor('*').allowlist[0]?.lastUsedAt ?? 0;
    place.clock.time = used + 61_000;
    expect((await place.run('allowlist', 'list')).out).toBe(
      `main  ${git?.id}  /usr/bin/git  with: log | diff --stat  (reading)
all agents  ${rg?.id}  /usr/bin/rg  with any arguments  used 1m 1s ago: rg \\u202e
`,
    );
    expect((await place.run('allowlist', 'remove', git?.id ?? '')).code).toBe(0);
    expect((await place.run('allowlist', 'remove', '/usr/bin/rg')).code).toBe(0);
    expect(await place.run('allowlist', 'remove', '/usr/bin/rg')).toMatchObject({
      code: 1,
      out: 'there is no entry "/usr/bin/rg"\n',
    });
    expect((await place.run('allowlist', 'list')).out).toBe('the allowlist is empty\n');
  });

  it('stores an entry for a missing file, with a notice', async () => {
    const place = await desk();
    const { code, err } = await place.run('allowlist', 'add', '/nowhere/at/all');
    expect([code, err, place.file.rulesFor('*').allowlist.length]).toEqual([
      0,
      'pincer: /nowhere/at/all does not exist yet: until then the entry allows nothing\n',
      1,
    ]);
    expect((await place.run('allowlist', 'add', '/nowhere/**')).err).toBe('');
  });

  it('gives programs the entry as JSON', async () => {
    const place = await desk({ isTerminal: false });
    const added = json((await place.run('allowlist', 'add', '/usr/bin/ls', '--arg-pattern', '-l')).out);
    const entry = { id: expect.any(String), pattern: '/usr/bin/ls', argPattern: '-l' };
    expect(added).toEqual({ agent: '*', entry });
    expect(json((await place.run('allowlist', 'list')).out)).toEqual({
      path: place.file.path,
      agents: [{ agent: '*', allowlist: [entry] }],
    });
    expect(json((await place.run('allowlist', 'remove', '/usr/bin/ls')).out)).toEqual({ removed: entry, agent: '*' });
  });

  it('does not guess whose entry is meant', async () => {
    const place = await desk();
    for (const agent of ['a', 'b']) await place.run('allowlist', 'add', '/bin/x', '--agent', agent);
    expect(await place.run('allowlist', 'remove', '/bin/x')).toMatchObject({
      out: '',
      err: expect.stringMatching(/^EXEC_APPROVALS_AMBIGUOUS: a and b have an entry/u),
    });
    expect((await place.run('allowlist', 'remove', '/bin/x', '--agent', 'b')).code).toBe(0);
    expect([place.file.rulesFor('a').allowlist.length, place.file.rulesFor('b').allowlist.length]).toEqual([1, 0]);
  });

  it.each([
    [
      ['allowlist', 'add', 'rg'],
      /"rg" is a bare name, which never matches\nhint: use the path of the program: command -v rg/u,
    ],
    [['allowlist', 'drop'], /unknown verb "drop"\nhint: verbs: add, remove, list;/u],
    [['allowlist', 'add'], /<pattern> is missing/u],
    [['frob'], /unknown verb "frob"\nhint: verbs: list, show, allow, deny, watch, allowlist, get, set;/u],
    [['alow', 'x'], /unknown verb "alow"; did you mean allow\n/u],
    [['allow'], /<id> is missing/u],
    [['allow', 'x', '--yes'], /need --always/u],
    [['list', '--limit', '0'], /--limit must be a whole number of at least 1/u],
    [['deny', 'x', '--always'], /unknown option --always/u],
  ])('refuses %j', async (argv, message) => {
    const place = await desk();
    const { code, out, err } = await place.run(...argv);
    expect([code, out, err]).toEqual([2, '', expect.stringMatching(message)]);
  });

  it('does not show an invalid file as an empty one', async () => {
    const place = await desk();
    writeFileSync(place.file.path, '{', { mode: 0o600 });
    for (const argv of [
      ['allowlist', 'list'],
      ['allowlist', 'remove', '/x'],
      ['allowlist', 'add', '/bin/x'],
    ])
      expect(await place.run(...argv)).toMatchObject({
        out: '',
        err: expect.stringMatching(/^EXEC_APPROVALS_BROKEN/u),
      });
    expect((await place.run('get')).out).toContain(
      'invalid, so every judged command is denied: it is not JSON: line 1',
    );
    expect(readFileSync(place.file.path, 'utf8')).toBe('{');
  });
});

describe('pincer approvals get and set', () => {
  it('gives the file with its hash, and takes it back changed', async () => {
    const place = await desk({ isTerminal: false });
    const got = json((await place.run('get')).out) as { hash: string; file: object };
    expect(got).toMatchObject({ path: place.file.path, exists: false, file: { version: 1 } });
    const given = join(makeFolder(), 'given.json');
    writeFileSync(given, JSON.stringify({ ...got, file: { ...got.file, defaults: { ask: 'always' }, new: 1 } }));
    const { code, out } = await place.run('set', given);
    expect([code, json(out)]).toEqual([0, { path: place.file.path, hash: place.file.show().hash }]);
    expect(place.file.show().file).toEqual({ version: 1, defaults: { ask: 'always' }, agents: {}, new: 1 });
    // The same again is stale now.
    expect(await place.run('set', given)).toMatchObject({
      out: '',
      err: expect.stringMatching(/EXEC_APPROVALS_CHANGED/u),
    });
  });

  it('takes a document from standard input, with the hash beside it and its numbers as they are', async () => {
    const text = '{"version": 1, "n": 9007199254740993}';
    const place = await desk({ input: text });
    expect(await place.run('set')).toMatchObject({
      code: 2,
      err: expect.stringMatching(/the hash of the replaced version is missing/u),
    });
    expect((await place.run('set', '--base-hash', place.file.show().hash)).code).toBe(0);
    expect(readFileSync(place.file.path, 'utf8')).toBe('{\n  "version": 1,\n  "n": 9007199254740993\n}\n');
  });

  it.each([
    ['no JSON', '{', 2, /the input is not JSON/u],
    ['what could not be used', '{"version": 3}', undefined, /EXEC_APPROVALS_INVALID/u],
  ])('refuses %s', async (_, input, code, message) => {
    const place = await desk({ input });
    const answer = await place.run('set', '--base-hash', place.file.show().hash);
    expect(answer).toMatchObject({
      out: '',
      err: expect.stringMatching(message),
      ...(code === undefined ? {} : { code }),
    });
    expect(existsSync(place.file.path)).toBe(false);
  });
});

it('explains itself', async () => {
  const place = await desk();
  const { code, out } = await place.run('allow', '--help');
  expect([code, out]).toEqual([0, expect.stringMatching(/^pincer approvals: /u)]);
});
