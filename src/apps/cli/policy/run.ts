/** `pincer policy`: explains and tests the policy. Runs nothing and changes nothing. */
import { resolve } from 'node:path';
import { Fault } from '../../../base/fault.ts';
import { shapeOf, unknownVerb } from '../definition.ts';
import { runCommand } from '../run-command.ts';
import { jsonOutput, type Output } from '../../terminal/output.ts';
import { asksForHelp, readArguments, usage, wantsJson } from '../arguments.ts';
import { definition } from './definition.ts';
import type { RulesInForce } from './rules.ts';

export type LoadRules = (folder: string, agent?: string) => Promise<RulesInForce>;

const EXPLAIN = shapeOf(definition, 'explain');
const TEST = shapeOf(definition, 'test');
const CHECK = shapeOf(definition, 'check');
const REPLAY = shapeOf(definition, 'replay');
const EXITS = { allow: 0, ask: 4, deny: 1 } as const;

/** Without a loader, only verbs that need no effective rules work. */
export function runPolicy(argv: readonly string[], output: Output, loadRules: LoadRules = noRules): Promise<number> {
  const json = wantsJson(argv, output.isTerminal);
  const [verb, ...rest] = argv;
  const work = async (): Promise<number> => {
    const out = json ? jsonOutput(output) : output;
    if (verb === 'explain') return explain(rest, json, out, loadRules);
    if (verb === 'test') return test(rest, json, out, loadRules);
    if (verb === 'check') return check(rest, output);
    if (verb === 'replay') return replay(rest, json, out);
    throw unknownVerb(definition, verb ?? '');
  };
  return runCommand(definition, argv, output, work, { isHelp: verb === undefined || asksForHelp(argv) });
}

async function replay(argv: readonly string[], json: boolean, output: Output): Promise<number> {
  const { since, with: rules } = readArguments(REPLAY, argv).options;
  if (since === undefined) throw usage(REPLAY, '--since is missing', 'as in --since 7d');
  const { replayPolicy } = await import('./replay.ts');
  return replayPolicy({ since, with: rules }, json, output);
}

async function explain(argv: readonly string[], json: boolean, output: Output, loadRules: LoadRules): Promise<number> {
  const { patterns, rest } = takeAllowed(argv);
  const { positionals, options } = readArguments(EXPLAIN, rest);
  const command = positionals[0]!;
  const cwd = resolve(options['workdir'] ?? '.');
  const isPlaced = options['host'] !== undefined || options['node'] !== undefined;
  if (isPlaced && patterns.length > 0) throw usage(EXPLAIN, '--allow judges here, and excludes --host and --node');
  const load = (folder: string): Promise<RulesInForce> => loadRules(folder, options['agent']);
  const rules = patterns.length === 0 ? await rulesFor(cwd, isPlaced, load) : await givenRules(patterns);
  if (isPlaced || isOnNode(rules)) {
    if (options['path'] !== undefined) throw usage(EXPLAIN, '--path is for commands that are judged in this process');
    const { explainOnHost } = await import('./explain-on-host.ts');
    return EXITS[
      await explainOnHost({ command, options, posture: isPlaced ? undefined : rules.posture }, json, output)
    ];
  }
  const [
    { judgeCall },
    { explanationOf, explanationText, shortPosture },
    { createLookup },
    { isOutsideOf, workspaceFor },
    { chooseShell, isBash },
  ] = await Promise.all([
    import('../../../policy/judge.ts'),
    import('./explanation.ts'),
    import('../../../hosts/process/programs/which.ts'),
    import('../../../hosts/process/programs/workspace.ts'),
    import('../../../hosts/process/programs/shell.ts'),
  ]);
  const here = resolve('.');
  const lookup = createLookup({ path: options['path'] ?? rules.path, cwd, workspace: workspaceFor(here, cwd) });
  const shell = chooseShell(process.env['SHELL'], lookup, rules.deny.length > 0);
  const call = { command, unlisted: [], pty: false, isOutside: isOutsideOf(here, cwd), isBash: isBash(shell) };
  const explanation = explanationOf(rules, judgeCall(call, rules, lookup, cwd));
  const { answer, onGateway } = explanation;
  if (json) {
    const { posture, broken } = rules;
    const values = posture === undefined ? {} : { posture: shortPosture(posture), effective: posture.effective };
    const more = { ...(onGateway === undefined ? {} : { gateway: onGateway }), ...values };
    const report = { command, ...answer, ...more, ...(broken === undefined ? {} : { broken }) };
    output.out(`${JSON.stringify(report, null, 2)}\n`);
  } else output.out(explanationText(command, rules, explanation, output.colour));
  return EXITS[answer.verdict];
}

/** For a command on a node, `--workdir` is a folder of the node: the settings are those of the current folder. */
async function rulesFor(
  cwd: string,
  isPlaced: boolean,
  load: (folder: string) => Promise<RulesInForce>,
): Promise<RulesInForce> {
  const here = resolve('.');
  const rules = await load(here);
  return isPlaced || isOnNode(rules) || cwd === here ? rules : load(cwd);
}

function isOnNode({ posture }: RulesInForce): boolean {
  return posture?.effective.host === 'node';
}

/** `--allow` is repeatable, unlike other options. */
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
  const { DEFAULT_PATH } = await import('./batch.ts');
  const allowlist = patterns.map((pattern) => ({ pattern }));
  return {
    allowlist,
    deny: [],
    safeBins: ['cut', 'uniq', 'head', 'tail', 'tr', 'wc'],
    safeBinProfiles: {},
    safeBinTrustedDirs: [],
    strictInlineEval: true,
    path: DEFAULT_PATH,
  };
}

async function test(argv: readonly string[], json: boolean, output: Output, loadRules: LoadRules): Promise<number> {
  const { options } = readArguments(TEST, argv);
  const [{ testRules }, { testedText }] = await Promise.all([
    import('../../../policy/rules/test-rules.ts'),
    import('./tested-text.ts'),
  ]);
  const tested = testRules(await loadRules(resolve(options['workdir'] ?? '.')));
  output.out(json ? `${JSON.stringify(tested, null, 2)}\n` : testedText(tested));
  return tested.ok ? 0 : 1;
}

async function check(argv: readonly string[], output: Output): Promise<number> {
  const { flags } = readArguments(CHECK, argv);
  if (!flags.has('batch'))
    throw usage(CHECK, 'check needs --batch', 'run pincer policy check --batch < commands.jsonl');
  return (await import('./batch.ts')).checkBatch(output);
}

function noRules(): Promise<never> {
  return Promise.reject(
    new Fault('POLICY_NO_RULES', 'there are no effective rules here', {
      hint: 'pass the allowlist with --allow /usr/bin/ls',
    }),
  );
}
