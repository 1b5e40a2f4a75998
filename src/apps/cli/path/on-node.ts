/** `pincer path <verb>` on the files of a paired machine, which `--node` or `tools.fs.node` names: the tool `path` there. */
import { agentName } from '../../../config/agent.ts';
import { Fault, type FaultCode } from '../../../base/fault.ts';
import { encodeText } from '../../../text/lines/bytes.ts';
import { nodeAnswer, type NodePathAnswer } from './node-answer.ts';
import type { ToolResult } from '../../../wire/tool.ts';
import { assembleTools } from '../../assemble.ts';
import { configuredToolbox } from '../../configured-toolbox.ts';
import { showContent } from '../../terminal/output.ts';
import { visible, visibleLine } from '../../terminal/visible.ts';
import { type ParsedArguments, usage } from '../arguments.ts';
import { reportNotice } from '../failure.ts';
import { onConfiguredNode } from '../toolbox-options.ts';
import type { Run } from './command.ts';
import { renderCount, renderFound, renderResolve } from './render-text.ts';

const NODE_VERBS = ['resolve', 'find', 'set', 'delete'] as const;
type NodeVerb = (typeof NODE_VERBS)[number];
type NodeRun = Omit<Run, 'files'>;

/** Flags and options that need the file on this machine. */
const LOCAL_FLAGS = ['raw', 'files', 'create'];
const LOCAL_OPTIONS = ['cwd', 'file', 'kind', 'batch'];

/** The node chooses the paths that the arrows are aligned by. */
const WIDEST = 80;

export async function runOnNode(verb: string, node: string, run: NodeRun): Promise<number> {
  const { args, cwd, json } = run;
  const isConfigured = args.options['node'] === undefined;
  refuseLocal(verb, args, isConfigured ? node : undefined);
  if (isConfigured) reportNotice(onConfiguredNode(node), run.errorJson, run.output);
  const options = await configuredToolbox({
    workspace: cwd,
    agent: agentName(),
    asks: 'operator',
    heavyCalls: 'here',
    node,
  });
  const result = await assembleTools(options).call('path', parametersOf(verb as NodeVerb, args));
  const text = textOf(result);
  const isRefused = result.details['code'] === 'OC_REFUSED';
  if (result.isError === true && !isRefused) throw faultOf(result);
  if (json) run.output.out(`${jsonText(text)}\n`);
  else render(verb as NodeVerb, nodeAnswer(text), { node, text, run });
  const { resolved, count } = result.details;
  return isRefused || resolved === false || count === 0 ? 1 : 0;
}

/** `configured` is the node that a setting chose. */
function refuseLocal(verb: string, { flags, options }: ParsedArguments, configured: string | undefined): void {
  const [name] = [
    ...LOCAL_FLAGS.filter((flag) => flags.has(flag)),
    ...LOCAL_OPTIONS.filter((option) => options[option] !== undefined),
  ];
  const isNodeVerb = NODE_VERBS.some((known) => known === verb);
  if (name === undefined && isNodeVerb) return;
  if (configured === undefined) {
    const hint = 'on a node, an address names a file in its workspace; run pincer path on the node for the rest';
    throw usage({ command: `path ${verb}` }, `--node and --${name} exclude each other`, hint);
  }
  const what = isNodeVerb ? `--${name}` : `path ${verb}`;
  throw usage(
    { command: `path ${verb}` },
    `${what} does not work on node ${configured}, whose files tools.fs.node chooses`,
    'run it on the node, or add --cwd . for the files of this machine',
  );
}

function parametersOf(verb: NodeVerb, { positionals, flags }: ParsedArguments): Readonly<Record<string, unknown>> {
  const [path, value] = positionals;
  return {
    verb,
    path,
    ...(value === undefined ? {} : flags.has('value-json') ? { valueJson: value } : { value }),
    ...(flags.has('dry-run') ? { dryRun: true } : {}),
    ...(flags.has('diff') ? { diff: true } : {}),
  };
}

interface Shown {
  readonly node: string;
  readonly text: string;
  readonly run: NodeRun;
}

function render(verb: NodeVerb, answer: NodePathAnswer | undefined, { node, text, run }: Shown): void {
  const { output, style } = run;
  // A node of another version may answer in another form.
  if (answer === undefined) output.out(`${visible(text)}\n`);
  else if ('resolved' in answer) output.out(renderResolve(answer, style));
  else if ('matches' in answer) {
    const width = Math.min(WIDEST, Math.max(0, ...answer.matches.map(({ path }) => path.length)));
    output.out(renderCount(answer.count, answer.pattern));
    for (const match of answer.matches) output.out(renderFound(match, output.isTerminal ? width : 0, style));
  } else if (!answer.ok)
    output.out(`${style.bad(`${verb} failed:`)} ${visible(answer.reason)} — ${visible(answer.detail)}\n`);
  else if (!answer.dryRun)
    output.out(`${visibleLine(`wrote ${answer.bytesWritten} bytes to ${answer.fsPath} on node ${node}`)}\n`);
  else showContent(encodeText(answer.diff ?? answer.bytes), output);
}

/** What the node sent may contain anything, also where it is not JSON. The text is kept, because numbers keep their spelling. */
export function jsonText(text: string): string {
  return visible(isJson(text) ? text : JSON.stringify(text));
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function textOf({ content }: ToolResult): string {
  return content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
}

function faultOf(result: ToolResult): Fault {
  const { code, hint } = result.details;
  const known = (typeof code === 'string' ? code : 'INTERNAL_ERROR') as FaultCode;
  return new Fault(known, result.error ?? textOf(result), typeof hint === 'string' ? { hint } : {});
}
