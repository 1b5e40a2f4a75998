/** `pincer policy`: the batch through the real program, the rest by its function. */
import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Output } from '../../../../src/apps/terminal/output.ts';
import { type LoadRules, runPolicy } from '../../../../src/apps/cli/policy/run.ts';
import { readDocument, rulesForAgent } from '../../../../src/hosts/approvals/document.ts';
import { checkRules } from '../../../../src/policy/rules/rules-check.ts';
import type { Rules } from '../../../../src/wire/policy.ts';
import type { Posture } from '../../../../src/wire/posture.ts';

const program = resolve(import.meta.dirname, '../../../../dist/pincer.cjs');

function batch(lines: readonly unknown[]) {
  const input = lines.map((line) => `${typeof line === 'string' ? line : JSON.stringify(line)}\n`).join('');
  const ran = spawnSync(process.execPath, [program, 'policy', 'check', '--batch'], {
    input,
    encoding: 'utf8',
    timeout: 60_000,
  });
  const answers = ran.stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  return { status: ran.status, answers };
}

const rulesInForce =
  (parts: Partial<Rules>): LoadRules =>
  () =>
    Promise.resolve({
      allowlist: [],
      deny: [],
      safeBins: [],
      safeBinProfiles: {},
      safeBinTrustedDirs: [],
      strictInlineEval: true,
      path: '/usr/bin:/bin',
      ...parts,
    });

async function run(argv: readonly string[], isTerminal = false, loadRules?: LoadRules) {
  let out = '';
  let err = '';
  const output: Output = {
    isTerminal,
    errorIsTerminal: isTerminal,
    quiet: false,
    colour: false,
    out: (text) => (out += Buffer.from(text as string).toString()),
    err: (text) => (err += text),
  };
  const code = await runPolicy(argv, output, loadRules);
  return { code, out, err };
}

describe('pincer policy check --batch', () => {
  it('answers each line with its id, a verdict and a reason, and passes over what it does not know', () => {
    const allowlist = ['/usr/bin/ls', '/bin/ls'];
    const { status, answers } = batch([
      { id: 'a', command: 'ls -la', allowlist, safeBins: [], expect: 'allow', why: 'x' },
      { id: 2, command: 'ls; id', allowlist, safeBins: [] },
      { id: null, command: 'ls | head -n 1', allowlist, safeBins: ['head'] },
      { id: 'p', command: 'ls', allowlist, safeBins: [], path: '/nowhere' },
      { id: 'none', command: 'ls' },
      '',
    ]);
    expect({ status, answers }).toEqual({
      status: 0,
      answers: [
        { id: 'a', verdict: 'allow', class: 'read', reason: expect.stringMatching(/^allowlisted: /) },
        { id: 2, verdict: 'deny', class: 'syntax', reason: expect.stringMatching(/^chaining: ; chains/) },
        { id: null, verdict: 'allow', class: 'read', reason: expect.any(String) },
        { id: 'p', verdict: 'deny', reason: 'not-found: there is no program "ls"' },
        { id: 'none', verdict: 'ask', class: 'read', reason: expect.stringMatching(/^allowlist-miss: /) },
      ],
    });
  });

  it('takes a line that asks nothing for a no with its id, and goes on', () => {
    const { status, answers } = batch([
      'oops',
      '[]',
      '{"id":1}',
      { id: 2, command: 'ls', allowlist: 'x' },
      { id: 3, command: 'id' },
    ]);
    const no = (id: number | null, message: string) => ({
      id,
      verdict: 'deny',
      reason: `not-a-question: ${message}`,
      error: { code: 'USAGE_LINE', message, hint: expect.any(String) },
    });
    expect({ status, answers }).toEqual({
      status: 0,
      answers: [
        { ...no(null, ''), reason: expect.any(String), error: expect.objectContaining({ code: 'USAGE_LINE' }) },
        no(null, 'the line is not a JSON object'),
        no(1, 'command must be a string'),
        no(2, 'allowlist must be a list of strings'),
        { id: 3, verdict: 'ask', class: 'read', reason: expect.any(String) },
      ],
    });
  });
});

describe('pincer policy explain', () => {
  it('tells people in lines and programs in JSON, and its exit code is the verdict', async () => {
    const human = await run(['explain', 'ls -la', '--allow', '/usr/bin/ls', '--allow=/bin/ls'], true);
    const json = await run(['explain', '--allow', '/usr/bin/ls', '--json', '--', 'id; ls']);
    expect([human.code, human.out.split('\n')[0], human.err]).toEqual([0, '✓ allow: runs without asking', '']);
    expect([json.code, JSON.parse(json.out)]).toEqual([
      4,
      expect.objectContaining({ command: 'id; ls', verdict: 'ask', code: 'chaining', at: { start: 2, end: 3 } }),
    ]);
  });

  it('judges with the rules in force', async () => {
    const deny = [{ pattern: '/usr/bin/id', reason: 'no' }];
    const { code, out } = await run(['explain', 'env id', '--json'], false, rulesInForce({ deny }));
    expect([code, JSON.parse(out)]).toEqual([1, expect.objectContaining({ verdict: 'deny', code: 'deny-rule' })]);
  });

  it.each([
    [['explain'], 2],
    [['explain', 'a', 'b'], 2],
    [['explain', 'a', '--allow'], 2],
    [['what'], 2],
    [['check'], 2],
    [['--help'], 0],
    [[], 0],
  ])('exits with what %j deserves', async (argv, code) => {
    expect((await run(argv, true)).code).toBe(code);
  });
});

describe('pincer policy test', () => {
  it('runs the examples of all rules', async () => {
    const allowlist = [{ pattern: '/usr/bin/git', args: ['log'], match: ['git log'], notMatch: ['git push'] }];
    const good = await run(['test', '--json'], false, rulesInForce({ allowlist }));
    const bad = await run(
      ['test'],
      true,
      rulesInForce({ allowlist, deny: [{ pattern: '/usr/bin/rm', match: ['ls'] }] }),
    );
    expect([good.code, JSON.parse(good.out)]).toEqual([
      0,
      { ok: true, rules: 1, examples: 2, problems: [], warnings: [] },
    ]);
    expect([bad.code, bad.out]).toEqual([
      1,
      '✗ deny[0] /usr/bin/rm: the example "ls" must match and does not\n2 rules, 3 examples, 1 problem\n',
    ]);
  });

  it.each<[string, string, RegExp]>([
    ['that is no JSON', '{', /^it is not JSON: line 1/u],
    ['of another version', '{"version":3}', /^version must be 1 or 2, not 3$/u],
    [
      'with a failing example',
      '{"version":1,"agents":{"*":{"allowlist":[{"pattern":"/usr/bin/git","match":["ls"]}]}}}',
      /^agents\.\*\.allowlist\[0\]: the example "ls" must match and does not$/u,
    ],
    [
      'with a bad argPattern',
      '{"version":1,"deny":[{"pattern":"/usr/bin/git","argPattern":"("}]}',
      /^deny\[0\]: argPattern "\("/u,
    ],
  ])('says what is wrong with a file %s', async (_, text, message) => {
    const { broken = '' } = rulesForAgent(readDocument(text, { checkRules }), 'main');
    const load: LoadRules = async (folder) => ({ ...(await rulesInForce({})(folder)), broken });
    const { code, out } = await run(['test', '--json'], false, load);
    expect([code, JSON.parse(out)]).toEqual([
      1,
      {
        ok: false,
        rules: 0,
        examples: 0,
        problems: [{ list: 'exec-approvals.json', message: expect.stringMatching(message) }],
        warnings: [],
      },
    ]);
    expect((await run(['test'], true, load)).out).toBe(
      `✗ exec-approvals.json: ${broken}\n0 rules, 0 examples, 1 problem\n`,
    );
    expect((await run(['explain', 'ls'], true, load)).out.split('\n', 3)).toEqual([
      `exec-approvals.json is not used, and everything is denied: ${broken}`,
      '',
      '✗ deny: does not run',
    ]);
  });

  it('tells what was said and has no effect, which is no failure', async () => {
    const load: LoadRules = async (folder) => ({
      ...(await rulesInForce({})(folder)),
      remarks: ['a\u001b has no effect'],
    });
    expect(await run(['test'], true, load)).toEqual({
      code: 0,
      out: '! a\\u{1b} has no effect\n0 rules, 0 examples, 0 problems\n',
      err: '',
    });
  });
});

it.each([
  ['--node names', ['--node', 'mac'], 'gateway'],
  ['the settings choose', [], 'node'],
])('reads the settings of the current folder where %s a node: --workdir is a folder there', async (_, more, host) => {
  const folders: string[] = [];
  const load: LoadRules = async (folder) => {
    folders.push(folder);
    return { ...(await rulesInForce({})(folder)), posture: { effective: { host } } as Posture };
  };
  // Refused before a node is asked.
  const { code, err } = await run(
    ['explain', 'ls', '--workdir', '/on/the/node', '--path', '/bin', ...more],
    true,
    load,
  );
  expect([code, err, folders]).toEqual([2, expect.stringContaining('--path is for commands'), [resolve('.')]]);
});
