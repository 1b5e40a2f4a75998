/** `pincer changes`, `undo` and `redo` with `--node`: the record of changes of a paired machine. */
import { Fault } from '../../../base/fault.ts';
import { isOperator } from '../../../config/agent.ts';
import type { ToolResult } from '../../../wire/tool.ts';
import { jsonOutput, type Output } from '../../terminal/output.ts';
import { type CommandShape, type ParsedArguments, usage } from '../arguments.ts';
import { operatorCaller, withGateway } from '../gateway.ts';
import { printJson } from '../print-json.ts';
import { exitCodeOfResult, showResultText } from '../result.ts';
import { positiveInteger } from '../toolbox-options.ts';

export interface NodeRecord {
  readonly node: string;
  readonly agent: string;
  readonly folder: string;
  readonly restrictions?: Readonly<Record<string, unknown>> | undefined;
}

interface Shown {
  readonly json: boolean;
  readonly output: Output;
}

type Verb = 'changes' | 'undo' | 'redo';

export async function runChangesOnNode(
  verb: Verb,
  shape: CommandShape,
  args: ParsedArguments,
  record: NodeRecord,
  { json, output }: Shown,
): Promise<number> {
  const result = await callChanges(record, parametersOf(verb, shape, args));
  const ok = verb === 'changes' ? {} : { ok: true };
  if (json) printJson(jsonOutput(output), result.isError === true ? result : { ...result.details, ...ok });
  else showResultText(result, output);
  return exitCodeOfResult(result);
}

/** Where an agent's file tools work on a node, an undo without an id could mean a change there. */
export function undoMeansNode(verb: 'undo' | 'redo', { node, agent }: Pick<NodeRecord, 'node' | 'agent'>): Fault {
  return new Fault('CHANGE_REFUSED', `the file tools of agent ${agent} work on node ${node}, which has their record`, {
    hint: `pincer ${verb} --node ${node}, or name a change on this machine by its id; pincer changes lists them`,
  });
}

export function otherRecord({ node, agent }: Pick<NodeRecord, 'node' | 'agent'>): string {
  return `the file tools of agent ${agent} work on node ${node}; pincer changes --node ${node} lists the changes there`;
}

function parametersOf(
  verb: Verb,
  shape: CommandShape,
  { positionals, options, flags }: ParsedArguments,
): Readonly<Record<string, unknown>> {
  const [id] = positionals;
  const given = (name: string): boolean => options[name] !== undefined || flags.has(name);
  const exclude = (names: readonly string[], hint: string): void => {
    const name = names.find(given);
    if (name !== undefined) throw usage(shape, `--node and --${name} exclude each other`, hint);
  };
  exclude(['conversation'], 'conversations have other names on a node');
  exclude(['dry-run', 'diff'], 'pincer changes <id> --node shows the diff of a change');
  if (verb !== 'changes') {
    exclude(['since', 'agent', 'client', 'path'], 'on a node, undo takes an id, or the newest change');
    return { action: verb, ...(id === undefined ? {} : { id }) };
  }
  if (id !== undefined) {
    exclude(['since', 'agent', 'client', 'path', 'limit'], 'an id excludes other filters');
    return { action: 'diff', id };
  }
  const { since, agent, client, path, limit } = options;
  const filter = { since, agent, client, path };
  return {
    action: 'list',
    ...Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined)),
    ...(limit === undefined ? {} : { limit: positiveInteger(shape, '--limit', limit) }),
  };
}

async function callChanges(
  { node, agent, folder, restrictions }: NodeRecord,
  args: Readonly<Record<string, unknown>>,
): Promise<ToolResult> {
  const { operator: _, ...caller } = operatorCaller(agent);
  const reads = args['action'] === 'list' || args['action'] === 'diff' ? { reads: true as const } : {};
  return withGateway((client) =>
    client.call('node.tool', {
      caller: { ...caller, ...(isOperator() ? { operator: true as const } : {}) },
      folder,
      node,
      tool: 'changes',
      args,
      ...reads,
      ...(restrictions === undefined ? {} : { restrictions }),
    }),
  );
}
