/** `approvals allowlist`: edits the approvals file directly, without the daemon. */
import { existsSync } from 'node:fs';
import { brokenFile } from '../../../hosts/approvals/file-faults.ts';
import type { ApprovalsFile } from '../../../hosts/approvals/shape.ts';
import { isGlob } from '../../../policy/glob.ts';
import type { AllowlistEntry } from '../../../wire/policy.ts';
import { Fault } from '../../../base/fault.ts';
import { reportNotice } from '../failure.ts';
import { type Output, quietly } from '../../terminal/output.ts';
import { paint } from '../../terminal/paint.ts';
import { printJson } from '../print-json.ts';
import { shapeOf } from '../definition.ts';
import { readArguments, usage } from '../arguments.ts';
import { currentFolder } from '../current-folder.ts';
import { escaped } from './escape-text.ts';
import { definition } from './definition.ts';
import { entryText, spanText } from './approval-text.ts';

const ADD = shapeOf(definition, 'allowlist add');
const REMOVE = shapeOf(definition, 'allowlist remove');
const LIST = shapeOf(definition, 'allowlist list');

interface AllowlistContext {
  readonly file: ApprovalsFile;
  readonly output: Output;
  readonly json: boolean;
  readonly now: () => number;
}

export async function runAllowlist([verb, ...rest]: readonly string[], listing: AllowlistContext): Promise<number> {
  switch (verb) {
    case 'add':
      return add(rest, listing);
    case 'remove':
      return remove(rest, listing);
    case 'list':
      return list(rest, listing);
    default:
      throw usage(
        { command: 'approvals allowlist' },
        `unknown verb ${JSON.stringify(verb ?? '')}`,
        'verbs: add, remove, list; see pincer approvals --help',
      );
  }
}

async function add(argv: readonly string[], { file, output, json }: AllowlistContext): Promise<number> {
  const { positionals, options, flags } = readArguments(ADD, argv);
  const [pattern = ''] = positionals;
  const { agent = '*', reason, args, 'arg-pattern': argPattern } = options;
  const entry: AllowlistEntry = {
    pattern,
    ...(args === undefined ? {} : { args: args.split('|').map((one) => one.trim()) }),
    ...(argPattern === undefined ? {} : { argPattern }),
    ...(reason === undefined ? {} : { reason }),
  };
  const [{ entryProblem, entryRemark }, { createLookup }] = await Promise.all([
    import('../../../policy/entries/entry-problem.ts'),
    import('../../../hosts/process/programs/which.ts'),
  ]);
  const workspace = currentFolder();
  const lookup = createLookup({ path: '', cwd: workspace });
  const problem = entryProblem(entry, { lookup, workspace: lookup.realPath(workspace) ?? workspace });
  if (problem !== undefined && (problem.kind === 'never-matches' || !flags.has('yes')))
    throw usage(
      ADD,
      problem.message,
      problem.kind === 'wide' ? `${problem.hint}; --yes stores it as it is` : problem.hint,
    );
  const [stored] = file.add(agent, [entry]);
  const warning = existsOrGlob(pattern)
    ? undefined
    : `${pattern} does not exist yet: until then the entry allows nothing`;
  if (json) printJson(output, { agent, entry: stored, ...(warning === undefined ? {} : { warning }) });
  else if (stored !== undefined) {
    output.out(`${paint(output.colour).good('allowed')} ${ownerText(agent)}  ${entryLine(stored)}\n`);
    const remark = warning ?? problem?.message ?? entryRemark(entry, lookup) ?? (await remainingAskNotice(stored));
    if (remark !== undefined) reportNotice(remark, false, quietly(output, flags.has('quiet')));
  }
  return 0;
}

/** An example command that still asks although the entry allows any arguments. */
async function remainingAskNotice({
  pattern,
  args,
  argv,
  argPattern,
  ...rest
}: AllowlistEntry): Promise<string | undefined> {
  const isPlain = /^\/[\w@%+=:,./-]+$/u.test(pattern);
  if (!isPlain || args !== undefined || argv !== undefined || argPattern !== undefined) return undefined;
  const [{ judge }, { createLookup }] = await Promise.all([
    import('../../../policy/judge.ts'),
    import('../../../hosts/process/programs/which.ts'),
  ]);
  const command = `${pattern} x`;
  const none = { deny: [], safeBins: [], safeBinProfiles: {}, safeBinTrustedDirs: [], strictInlineEval: true };
  const rules = { allowlist: [{ ...rest, pattern }], ...none };
  const { verdict, reason } = judge(command, rules, createLookup({ path: '', cwd: '/' }), '/');
  return verdict === 'allow' ? undefined : `some commands of this program still ask, such as ${command}: ${reason}`;
}

function existsOrGlob(pattern: string): boolean {
  return !pattern.startsWith('/') || isGlob(pattern) || existsSync(pattern);
}

function remove(argv: readonly string[], { file, output, json }: AllowlistContext): number {
  const { positionals, options } = readArguments(REMOVE, argv);
  const [name = ''] = positionals;
  const owners = options['agent'] === undefined ? ownersOf(file, name) : [options['agent']];
  if (owners.length > 1)
    throw new Fault(
      'EXEC_APPROVALS_AMBIGUOUS',
      `${owners.map(escaped).join(' and ')} have an entry ${JSON.stringify(name)}`,
      {
        hint: 'select the agent with --agent, or name the entry by its id',
        details: { agents: owners },
      },
    );
  const [agent] = owners;
  const removed = agent === undefined ? undefined : file.remove(agent, name);
  if (json) printJson(output, { removed: removed ?? null, ...(removed === undefined ? {} : { agent }) });
  else if (removed === undefined) output.out(`there is no entry ${escaped(JSON.stringify(name))}\n`);
  else output.out(`removed ${ownerText(agent ?? '')}  ${entryLine(removed)}\n`);
  return removed === undefined ? 1 : 0;
}

function list(argv: readonly string[], { file, output, json, now }: AllowlistContext): number {
  const { options } = readArguments(LIST, argv);
  refuseBroken(file);
  const agents = options['agent'] === undefined ? file.agents() : [options['agent']];
  const found = agents.map((agent) => ({ agent, allowlist: file.ownEntries(agent) }));
  if (json) printJson(output, { path: file.path, agents: found.filter(({ allowlist }) => allowlist.length > 0) });
  else {
    for (const { agent, allowlist } of found)
      for (const entry of allowlist)
        output.out(`${ownerText(agent)}  ${entryLine(entry)}${endText(entry, now())}${useText(entry, now())}\n`);
    if (found.every(({ allowlist }) => allowlist.length === 0)) output.out('the allowlist is empty\n');
  }
  return 0;
}

function ownersOf(file: ApprovalsFile, name: string): readonly string[] {
  refuseBroken(file);
  return file
    .agents()
    .filter((agent) => file.ownEntries(agent).some(({ id, pattern }) => id === name || pattern === name));
}

/** An empty list would hide that the file is invalid. */
function refuseBroken(file: ApprovalsFile): void {
  const { broken } = file.rulesFor('*');
  if (broken === undefined) return;
  throw brokenFile(file.path, broken);
}

function ownerText(agent: string): string {
  return agent === '*' ? 'all agents' : escaped(agent);
}

function entryLine(entry: AllowlistEntry): string {
  return `${escaped(entry.id ?? '(no id yet)')}  ${entryText(entry)}`;
}

function endText({ expiresAt }: AllowlistEntry, now: number): string {
  if (expiresAt === undefined) return '';
  return expiresAt <= now ? '  expired: it allows nothing' : `  ${spanText(expiresAt - now)} left`;
}

function useText({ lastUsedAt, lastUsedCommand }: AllowlistEntry, now: number): string {
  if (lastUsedAt === undefined) return '';
  const what = lastUsedCommand === undefined ? '' : `: ${escaped(lastUsedCommand)}`;
  return `  used ${spanText(now - lastUsedAt)} ago${what}`;
}
