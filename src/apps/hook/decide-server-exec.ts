/**
 * `exec` of a server, which may be Pincer's own under any name; one that is not certainly another program asks. Our server judges what it runs, confines it to a sandbox, or
 * runs it without a judgement, by the operator's choice. In the last case the hook judges the command: it must not be easier to
 * run through our tool than through the client's own shell. The choice is read from the configuration that counts for the
 * hook; a server that was started with another folder, agent or environment may have another.
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
import { ownerOfServer, type ServerOwner } from '../init/server-name.ts';
import { asked, type HookAnswer } from './client.ts';
import { answerFor, type JudgedCommand, policyOf } from './decide-command.ts';
import { isMembers, type Members, notAnEvent } from './event.ts';
import type { Setting } from './setting.ts';
import type { Subject } from './subject.ts';

type ServerExec = Subject & { readonly does: 'exec' };

const WHY_ASKED = {
  unclear: 'is not certainly another program',
  unknown: 'is in no file of the client that is read',
} as const;

/** The answer for a command that the server would run without a judgement. */
export async function decideServerExec(subject: ServerExec, setting: Setting): Promise<HookAnswer | undefined> {
  const owner = await ownerOf(subject, setting);
  if (owner === 'other') return undefined;
  if (owner !== 'pincer') {
    const why = `the server ${subject.server} ${WHY_ASKED[owner]}, so it may be pincer`;
    return asked(shownText(`pincer: not-known: ${why}, and its exec cannot be judged`), setting.question);
  }
  if (!isMembers(subject.input)) throw notAnEvent('tool_input is not an object');
  return decideOwnExec(subject.input, setting);
}

/** Whose server it is. Where names have joints in them, a shorter name with a longer tool is the other reading. */
async function ownerOf({ client, server, joint }: ServerExec, { question, env }: Setting): Promise<ServerOwner> {
  const at = { folder: question.project, home: homeFolder(env), env };
  const table = clientNamed(client)!;
  const owner = await ownerOfServer(table, server, at);
  if (owner !== 'unknown') return owner;
  const parts = server.split(joint);
  for (let count = parts.length - 1; count > 0; count -= 1)
    if ((await ownerOfServer(table, parts.slice(0, count).join(joint), at)) !== 'unknown') return 'other';
  return 'unknown';
}

function decideOwnExec(input: Members, setting: Setting): HookAnswer | undefined {
  const tool = execTool.name;
  const said = policyOf(setting);
  try {
    const params = readParams(tool, execTool.input, execTool.aliases ?? [], fromPreset(tool, input, undefined));
    const request = params as unknown as ExecRequest;
    return runsUnjudged(request, said, setting) ? answerFor(commandOf(request, setting), said, setting) : undefined;
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    // The server refuses it in the same words.
    return { decision: 'deny', reason: `pincer: ${error.code}: ${error.message}` };
  }
}

function runsUnjudged(request: ExecRequest, said: PolicyInputs, { agent }: Setting): boolean {
  const { isInside, isJudged } = routeOf(request, { caller: { agent } }, said);
  return !isInside && !isJudged;
}

function commandOf(request: ExecRequest, { env }: Setting): JudgedCommand {
  const { command, workdir = '.', env: overrides = {}, pty = false, security, ask } = request;
  const folder = fromHome(workdir, homeFolder(env));
  const { refused, unlisted } = environmentOf({ inherited: {}, overrides });
  return {
    command,
    // The server may work in another folder than the client, and the hook is not told in which.
    cwd: isAbsolute(folder) ? resolve(folder) : undefined,
    call: { ...(security === undefined ? {} : { security }), ...(ask === undefined ? {} : { ask }) },
    unlisted: [...refused.map(({ name }) => name), ...unlisted],
    pty,
  };
}
