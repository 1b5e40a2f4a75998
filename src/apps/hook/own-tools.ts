/** Reports whether and how a hook judges a client's own tools, which pincer does not run. */
import { Fault } from '../../base/fault.ts';
import { agentName } from '../../config/agent.ts';
import { treatmentsOf } from '../../hosts/gateway/posture/posture.ts';
import type { PolicyReport } from '../../wire/posture.ts';
import { HOOK_CLIENTS } from './clients.ts';
import { policyIn } from '../posture.ts';
import { readClientFile } from '../init/client-file.ts';
import { type Client, clientNamed } from '../init/clients.ts';
import { isForEveryTool, placedHook } from '../init/hook-target.ts';
import { addedToHook } from '../init/own-entries.ts';
import type { ClientState } from '../init/survey.ts';

export interface OwnTools {
  readonly hasHook: boolean;
  readonly text: string;
}

/** One report for each client with a pincer entry. */
export async function ownToolsOf(clients: readonly ClientState[], folder: string): Promise<readonly OwnTools[]> {
  const all = await Promise.all(clients.map((state) => toolsOf(state, folder)));
  return all.filter((one) => one !== undefined);
}

async function toolsOf({ name, title, files }: ClientState, folder: string): Promise<OwnTools | undefined> {
  const known = files.filter(({ entry }) => entry !== undefined);
  if (known.length === 0) return undefined;
  const client = clientNamed(name)!;
  const hook = known.find(({ part, inactive }) => part === 'hook' && inactive === undefined);
  const inactive = known.find((file) => file.inactive !== undefined)?.inactive;
  try {
    const placed = hook === undefined ? undefined : await placedHook(client, client.hooks!, readClientFile(hook.path));
    const report = await policyIn(folder, { agent: agentOf(addedToHook(placed?.hook, name)) });
    const where = report.posture.kind === 'sandboxed' ? 'the sandbox' : 'pincer';
    const own = `${title}'s own tools do not run in ${where}`;
    if (placed === undefined) {
      const why = inactive === undefined ? howToCheck(client) : `: ${inactive.why}: ${inactive.fix}`;
      return { hasHook: false, text: `${own} and are not checked${why}` };
    }
    const judged = isForEveryTool(placed.matcher) ? 'them' : `only ${JSON.stringify(placed.matcher)}`;
    return { hasHook: true, text: `${own}; its hook judges ${judged}: ${await hookText(client, report)}` };
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return { hasHook: false, text: `the posture of ${title}'s own tools is unknown: ${error.message}` };
  }
}

function howToCheck({ name, title, hooks }: Client): string {
  if (hooks === undefined) return `: pincer has no hook for ${title}; switch them off in its settings`;
  return `; to check them: pincer init ${name} --hook`;
}

/** The agent of a hook; the operator may have added `--agent` to its command line. */
function agentOf(added: readonly string[] = []): string {
  return added[added.indexOf('--agent') + 1 || added.length] ?? agentName();
}

/** What the hook answers with this policy. */
async function hookText({ name }: Client, { broken, settings, gateway }: PolicyReport): Promise<string> {
  if (broken !== undefined) return 'every command is denied, because exec-approvals.json cannot be used';
  const { unattended } = await HOOK_CLIENTS[name]!();
  const headless = { ...settings, headless: settings.headless || unattended !== undefined };
  const { listed, unlisted } = treatmentsOf({ settings: headless, effective: gateway });
  if (listed === 'ask') return 'every command asks a person';
  if (listed !== 'run') return 'every command is denied';
  if (unlisted === 'run') return 'every command runs unless a deny rule forbids it';
  return `commands without a rule ${unlisted === 'ask' ? 'ask a person' : 'are denied'}`;
}
