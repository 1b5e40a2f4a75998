/**
 * Judges a call of the tool `exec` of an MCP server, which may be pincer under any name. A server that cannot be identified
 * as another program asks. Pincer's server judges its commands, runs them in a sandbox, or runs them unjudged, by the
 * operator's choice. In the last case the hook judges the command: pincer's tool must not be a bypass of the client's shell.
 * The choice comes from the hook's configuration; a server with another folder, agent or environment may have another one.
 */
import { isAbsolute, resolve } from 'node:path';
import { Fault } from '../../base/fault.ts';
import { homeFolder } from '../../config/state.ts';
import { fromHome } from '../../hosts/gateway/sandbox-command.ts';
import { routeOf } from '../../hosts/gateway/route.ts';
import type { PolicyInputs } from '../../hosts/host.ts';
import { environmentOf } from '../../policy/environment.ts';
import { shownText } from '../../policy/explain.ts';
import { execTool } from '../../tools/exec.ts';
import { readParams } from '../../tools/params.ts';
import type { ExecRequest } from '../../wire/exec.ts';
import { fromPreset } from '../mcp/presets/accept.ts';
import { clientNamed } from '../init/clients.ts';
import { ownerOfServer, type ServerOwner } from '../init/server-owner.ts';
import { askOrDeny, type DecisionContext, type HookAnswer } from './client.ts';
import { answerFor, type JudgedCommand, policyOf } from './decide-command.ts';
import { isMembers, type Members, notAnEvent } from './event.ts';
import type { Subject } from './subject.ts';

type ServerExec = Subject & { readonly does: 'exec' };

const WHY_ASKED = {
  unclear: 'cannot be identified',
  unknown: 'is in no configuration file of the client',
} as const;

/** An answer if the server would run the command unjudged. */
export async function decideServerExec(subject: ServerExec, context: DecisionContext): Promise<HookAnswer | undefined> {
  const owner = await ownerOf(subject, context);
  if (owner === 'other') return undefined;
  if (owner !== 'pincer') {
    const why = `the server ${subject.server} ${WHY_ASKED[owner]}, so it may be pincer`;
    return askOrDeny(shownText(`pincer: not-known: ${why}, and its exec cannot be judged`), context.question);
  }
  if (!isMembers(subject.input)) throw notAnEvent('tool_input is not an object');
  return decideOwnExec(subject.input, context);
}

/** The owner of the server. If a name contains separators, a shorter server name with a longer tool name is possible too. */
async function ownerOf(
  { client, server, separator }: ServerExec,
  { question, env }: DecisionContext,
): Promise<ServerOwner> {
  const at = { folder: question.project, home: homeFolder(env), env };
  const table = clientNamed(client)!;
  const owner = await ownerOfServer(table, server, at);
  if (owner !== 'unknown') return owner;
  const parts = server.split(separator);
  for (let count = parts.length - 1; count > 0; count -= 1)
    if ((await ownerOfServer(table, parts.slice(0, count).join(separator), at)) !== 'unknown') return 'other';
  return 'unknown';
}

function decideOwnExec(input: Members, context: DecisionContext): HookAnswer | undefined {
  const tool = execTool.name;
  const inputs = policyOf(context);
  try {
    const params = readParams(tool, execTool.input, execTool.aliases ?? [], fromPreset(tool, input, undefined));
    const request = params as unknown as ExecRequest;
    return runsUnjudged(request, inputs, context) ? answerFor(commandOf(request, context), inputs, context) : undefined;
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    if (error.code.startsWith('NODE_')) return undefined; // only the daemon knows the nodes, which judge by their own rules
    // The server refuses it with the same message.
    return { decision: 'deny', reason: `pincer: ${error.code}: ${error.message}` };
  }
}

function runsUnjudged(request: ExecRequest, inputs: PolicyInputs, { agent }: DecisionContext): boolean {
  const { isInside, isJudged } = routeOf(request, { caller: { agent } }, inputs);
  return !isInside && !isJudged;
}

function commandOf(request: ExecRequest, { env }: DecisionContext): JudgedCommand {
  const { command, workdir = '.', env: overrides = {}, pty = false, security, ask } = request;
  const folder = fromHome(workdir, homeFolder(env));
  const { refused, unlisted } = environmentOf({ inherited: {}, overrides });
  return {
    command,
    // The server may run in another folder than the client, and the event does not contain it.
    cwd: isAbsolute(folder) ? resolve(folder) : undefined,
    call: { ...(security === undefined ? {} : { security }), ...(ask === undefined ? {} : { ask }) },
    unlisted: [...refused.map(({ name }) => name), ...unlisted],
    pty,
  };
}
