/** `pincer policy`: what would happen to a command, and why. Nothing runs and nothing changes. */
import { resolve } from 'node:path';
import type { Rules } from '../../../wire/policy.ts';
import type { EffectivePolicy } from '../../../wire/rpc.ts';
import type { BackendName } from '../../../wire/sandbox.ts';
import { Fault } from '../../../base/fault.ts';
import { helpOf, shapeOf, unknownVerb } from '../definition.ts';
import { reportFailure } from '../failure.ts';
import { BrokenPipe, jsonOutput, type Output } from '../output.ts';
import { asksForHelp, readWords, usage, wantsJson } from '../words.ts';
import { definition } from './definition.ts';

/** The rules in force, and where programs are looked for. */
export interface RulesInForce extends Rules {
  /** Folders separated by `:`. */
  readonly path: string;
  /** What the layers say together, where there are layers. */
  readonly effective?: EffectivePolicy;
  /** What makes the sandbox that the agent's commands run in; undefined where they run on this machine. */
  readonly sandbox?: BackendName;
  /** Why the approvals file counts as one that denies everything. */
  readonly broken?: string;
  /** What was said and has no effect. */
  readonly remarks?: readonly string[];
}

export type LoadRules = (folder: string) => Promise<RulesInForce>;

const EXPLAIN = shapeOf(definition, 'explain');
const TEST = shapeOf(definition, 'test');
const CHECK = shapeOf(definition, 'check');
const EXITS = { allow: 0, ask: 4, deny: 1 } as const;

/** Runs `pincer policy …`. Without a loader only what needs no rules in force can be asked. */
export async function runPolicy(
  argv: readonly string[],
  output: Output,
  loadRules: LoadRules = noRules,
): Promise<number> {
  const json = wantsJson(argv, output.isTerminal);
  try {
    const [verb, ...rest] = argv;
    if (verb === undefined || asksForHelp(argv)) {
      output.out(helpOf(definition));
      return 0;
    }
    const out = json ? jsonOutput(output) : output;
    if (verb === 'explain') return await explain(rest, json, out, loadRules);
    if (verb === 'test') return await test(rest, json, out, loadRules);
    if (verb === 'check') return await check(rest, output);
    throw unknownVerb(definition, verb);
  } catch (error) {
    if (error instanceof BrokenPipe) throw error;
    return reportFailure(error, json, output);
  }
}

async function explain(argv: readonly string[], json: boolean, output: Output, loadRules: LoadRules): Promise<number> {
  const { patterns, rest } = takeAllowed(argv);
  const { words, options } = readWords(EXPLAIN, rest);
  const command = words[0]!;
  const cwd = resolve(options['workdir'] ?? '.');
  const [{ judge }, { decide }, { createLookup }, { explainJudgement, shownText }] = await Promise.all([
    import('../../../policy/judge.ts'),
    import('../../../policy/decide.ts'),
    import('../../../hosts/process/which.ts'),
    import('../../../policy/explain.ts'),
  ]);
  const rules = patterns.length === 0 ? await loadRules(cwd) : await givenRules(patterns);
  const lookup = createLookup({ path: options['path'] ?? rules.path, cwd });
  const { effective, broken, sandbox } = rules;
  // In the sandbox, also while it is off, nothing is judged; then the answer is what host=gateway would say.
  const usual = effective === undefined || effective.host === 'sandbox' ? USUAL : effective;
  const policy = broken === undefined ? usual : ({ ...usual, security: 'deny' } as const);
  const judgement = decide(policy, judge(command, rules, lookup, cwd));
  const layers =
    effective === undefined
      ? {}
      : { effective, sandbox: sandbox ?? 'off', ...(broken === undefined ? {} : { broken }) };
  if (json) output.out(`${JSON.stringify({ command, ...judgement, ...layers }, null, 2)}\n`);
  else {
    if (broken !== undefined)
      output.out(`exec-approvals.json is not used, and everything is denied: ${shownText(broken)}\n\n`);
    output.out(
      `${explainJudgement(command, judgement)}${effective === undefined ? '' : showLayers(effective, sandbox)}`,
    );
  }
  return EXITS[judgement.verdict];
}

const USUAL = { security: 'allowlist', ask: 'on-miss' } as const;

/** Which layer decided each value. */
function showLayers(
  { host, security, ask, askFallback, from }: EffectivePolicy,
  sandbox: BackendName | undefined,
): string {
  const values = `host=${host} (${from.host}), security=${security} (${from.security}), ask=${ask} (${from.ask}), askFallback=${askFallback} (${from.askFallback})`;
  return `\n  in force: ${values}${host === 'sandbox' ? `\n  ${notJudged(sandbox)}` : ''}\n`;
}

function notJudged(sandbox: BackendName | undefined): string {
  const instead = 'this is what host=gateway would say';
  if (sandbox === undefined) return `host=sandbox with sandboxing off is not judged: ${instead}`;
  return `host=sandbox runs in a sandbox (${sandbox}), which is the boundary, and is not judged: ${instead}`;
}

/** `--allow` may be given many times, which no other option may. */
function takeAllowed(argv: readonly string[]): {
  readonly patterns: readonly string[];
  readonly rest: readonly string[];
} {
  const patterns: string[] = [];
  const rest: string[] = [];
  const end = argv.includes('--') ? argv.indexOf('--') : argv.length;
  for (let i = 0; i < argv.length; i++) {
    const arg = argv[i]!;
    if (i >= end || (arg !== '--allow' && !arg.startsWith('--allow='))) rest.push(arg);
    else {
      const pattern = arg === '--allow' ? argv[++i] : arg.slice('--allow='.length);
      if (pattern === undefined || pattern === '') throw usage(EXPLAIN, '--allow needs a value');
      patterns.push(pattern);
    }
  }
  return { patterns, rest };
}

async function givenRules(patterns: readonly string[]): Promise<RulesInForce> {
  const { USUAL_PATH } = await import('./batch.ts');
  const allowlist = patterns.map((pattern) => ({ pattern }));
  return {
    allowlist,
    deny: [],
    safeBins: ['cut', 'uniq', 'head', 'tail', 'tr', 'wc'],
    safeBinProfiles: {},
    safeBinTrustedDirs: [],
    strictInlineEval: true,
    path: USUAL_PATH,
  };
}

async function test(argv: readonly string[], json: boolean, output: Output, loadRules: LoadRules): Promise<number> {
  const { options } = readWords(TEST, argv);
  const { testRules, testedText } = await import('./test-rules.ts');
  const tested = testRules(await loadRules(resolve(options['workdir'] ?? '.')));
  output.out(json ? `${JSON.stringify(tested, null, 2)}\n` : testedText(tested));
  return tested.ok ? 0 : 1;
}

async function check(argv: readonly string[], output: Output): Promise<number> {
  const { flags } = readWords(CHECK, argv);
  if (!flags.has('batch'))
    throw usage(CHECK, 'the questions come from standard input', 'write pincer policy check --batch < questions.jsonl');
  return (await import('./batch.ts')).checkBatch(output);
}

function noRules(): Promise<never> {
  return Promise.reject(
    new Fault('POLICY_NO_RULES', 'there are no rules in force here', {
      hint: 'give the allowlist with --allow /usr/bin/ls',
    }),
  );
}
