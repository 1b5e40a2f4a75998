/** `pincer approvals`: answers requests through the daemon, and edits the approvals file directly. */
import type { Gateway } from '../../../wire/methods.ts';
import { shapeOf, unknownVerb } from '../definition.ts';
import { MOST_LISTED_BYTES } from '../gateway.ts';
import { refuseInsideSession } from '../refuse-inside-session.ts';
import { positiveInteger } from '../toolbox-options.ts';
import type { Output } from '../../terminal/output.ts';
import { paint } from '../../terminal/paint.ts';
import { printJson } from '../print-json.ts';
import { readArguments, usage, wantsJson } from '../arguments.ts';
import { runCommand } from '../run-command.ts';
import { runAllowlist } from './allowlist.ts';
import { answerAlways, type AnswerContext, answerOnce } from './answer.ts';
import { definition } from './definition.ts';
import { runGet, runSet } from './document.ts';
import type { ApprovalsIo } from './process-io.ts';
import { approvalBlock, approvalDetails } from './approval-text.ts';

/** The limit of `approval.list`. */
const DEFAULT_LIMIT = 100;
const FLAGS = ['--json', '--human'];
const LIST = shapeOf(definition, 'list');
const SHOW = shapeOf(definition, 'show');
const ALLOW = shapeOf(definition, 'allow');
const DENY = shapeOf(definition, 'deny');
const WATCH = shapeOf(definition, 'watch');

const CHANGING: ReadonlySet<string> = new Set(['allow', 'deny', 'watch', 'add', 'remove', 'set']);

export function runApprovals(argv: readonly string[], output: Output, io?: ApprovalsIo): Promise<number> {
  const json = wantsJson(argv, output.isTerminal);
  return runCommand(definition, argv, output, async () => {
    if (argv.some((arg) => CHANGING.has(arg))) refuseInsideSession('answering approvals and changing rules');
    return run(argv, output, json, io ?? (await import('./process-io.ts')).processIo());
  });
}

async function run(argv: readonly string[], output: Output, json: boolean, io: ApprovalsIo): Promise<number> {
  // Flags may precede the verb: `pincer approvals --json list`.
  const at = argv.findIndex((arg) => !FLAGS.includes(arg));
  const verb = at < 0 ? 'list' : argv[at];
  const rest = at < 0 ? argv : argv.toSpliced(at, 1);
  const now = (): number => io.now();
  switch (verb) {
    case 'list':
      return list(rest, output, json, io);
    case 'show':
      return show(rest, output, json, io);
    case 'allow':
    case 'deny':
      return answer(verb, rest, output, json, io);
    case 'watch':
      return watch(rest, output, json, io);
    case 'allowlist': {
      const word = rest.findIndex((arg) => !FLAGS.includes(arg));
      const ordered = word < 0 ? [] : [rest[word]!, ...rest.toSpliced(word, 1)];
      return runAllowlist(ordered, { file: io.file(), output, json, now });
    }
    case 'get':
      return runGet(rest, { file: io.file(), output, json, input: () => io.input() });
    case 'set':
      return runSet(rest, { file: io.file(), output, json, input: () => io.input() });
    default:
      throw unknownVerb(definition, verb ?? '');
  }
}

/** A list with more than its limit allows is shorter because of its size. */
function moreText(more: number, total: number, shown: number, limit: string | undefined): string {
  const isLimited = shown >= (limit === undefined ? DEFAULT_LIMIT : Number(limit));
  const how = isLimited
    ? `pincer approvals list --limit ${total}`
    : 'the requests are too long for one list; they appear when these are answered';
  return `\n${more} older not shown: ${how}\n`;
}

async function watch(argv: readonly string[], output: Output, json: boolean, io: ApprovalsIo): Promise<number> {
  const { notify } = readArguments(WATCH, argv).options;
  if (notify?.trim() === '') throw usage(WATCH, '--notify needs a command');
  const { watchApprovals } = await import('./watch.ts');
  return watchApprovals({ output, json, io, ...(notify === undefined ? {} : { notify }) });
}

function list(argv: readonly string[], output: Output, json: boolean, io: ApprovalsIo): Promise<number> {
  const { flags, options } = readArguments(LIST, argv);
  const limit = options['limit'] === undefined ? {} : { limit: positiveInteger(LIST, '--limit', options['limit']) };
  const state = flags.has('all') ? 'all' : 'pending';
  return withGateway(io, async (gateway) => {
    const [approvals, total] = await Promise.all([
      gateway.call('approval.list', { state, ...limit, maxBytes: MOST_LISTED_BYTES }),
      gateway.call('approval.count', { state }),
    ]);
    const more = Math.max(0, total - approvals.length);
    if (json) printJson(output, { approvals, more });
    else if (total === 0) output.out(state === 'all' ? 'no approval requests yet\n' : 'no pending approval requests\n');
    else {
      output.out(approvals.map((one) => approvalBlock(one, io.now(), paint(output.colour))).join('\n'));
      if (more > 0) output.out(moreText(more, total, approvals.length, options['limit']));
    }
    return 0;
  });
}

function show(argv: readonly string[], output: Output, json: boolean, io: ApprovalsIo): Promise<number> {
  const { positionals, flags } = readArguments(SHOW, argv);
  return withGateway(io, async (gateway) => {
    const approval = await gateway.call('approval.show', { id: positionals[0]! });
    if (json) printJson(output, approval);
    else output.out(approvalDetails(approval, io.now(), paint(output.colour), flags.has('env')));
    return 0;
  });
}

function answer(
  verb: 'allow' | 'deny',
  argv: readonly string[],
  output: Output,
  json: boolean,
  io: ApprovalsIo,
): Promise<number> {
  const { positionals, flags, options } = readArguments(verb === 'deny' ? DENY : ALLOW, argv);
  const id = positionals[0]!;
  if (!flags.has('always') && (flags.has('dry-run') || flags.has('yes')))
    throw usage(ALLOW, '--dry-run and --yes need --always');
  return withGateway(io, (gateway) => {
    const { by, keyboard } = io;
    const answering: AnswerContext = { gateway, output, json, by, now: () => io.now(), keyboard, shape: ALLOW };
    if (!flags.has('always'))
      return answerOnce(id, verb === 'deny' ? 'deny' : 'allow-once', answering, options['reason']);
    return answerAlways(id, { dryRun: flags.has('dry-run'), yes: flags.has('yes') }, answering);
  });
}

async function withGateway(io: ApprovalsIo, work: (gateway: Gateway) => Promise<number>): Promise<number> {
  const gateway = await io.connect();
  try {
    return await work(gateway);
  } finally {
    gateway.close?.();
  }
}
