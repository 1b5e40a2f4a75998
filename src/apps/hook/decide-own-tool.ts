/**
 * A tool of Pincer's own server, called by the client. The server judges what it runs, confines it to a sandbox, or runs it
 * without a judgement, by the operator's choice. In the last case the hook judges the command: it must not be easier to run
 * through our tool than through the client's own shell.
 */
import { isAbsolute, resolve } from 'node:path';
import { Fault } from '../../base/fault.ts';
import { homeFolder } from '../../config/state.ts';
import { fromHome } from '../../hosts/gateway/inside.ts';
import { routeOf, type Said } from '../../hosts/gateway/route.ts';
import { environmentOf } from '../../policy/environment.ts';
import { execTool } from '../../tools/exec.ts';
import { readParams } from '../../tools/params.ts';
import type { ExecRequest } from '../../wire/exec.ts';
import { fromPreset } from '../mcp/presets/accept.ts';
import type { HookAnswer } from './client.ts';
import { answerFor, type JudgedCommand, policyOf } from './decide-command.ts';
import type { Setting } from './setting.ts';
import type { Subject } from './subject.ts';

/** The answer for a command that the server would run without a judgement; file tools of ours keep their own rules. */
export function decideOwnTool(
  { tool, input }: Subject & { readonly does: 'call' },
  setting: Setting,
): HookAnswer | undefined {
  if (tool !== execTool.name) return undefined;
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

function runsUnjudged(request: ExecRequest, said: Said, { agent }: Setting): boolean {
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
