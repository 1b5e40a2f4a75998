/** Asks where a command may run. */
import type { RuleHost } from '../../../wire/policy.ts';
import { loadExecSettings } from '../../../config/load-exec-settings.ts';
import { programFile } from '../../client/program.ts';
import { type BackendProbe, probeBackends } from '../../sandbox-probe.ts';
import type { RulePlan } from './plan-rule.ts';
import { timeText } from './render.ts';

export interface Choice {
  readonly where: RuleHost;
  readonly expiresAt?: number;
}

const DAY = 24 * 3_600_000;

/** `stopped`: Ctrl-C. */
export async function askWhere(
  { entry, folder, described }: RulePlan,
  now: number,
): Promise<Choice | 'no' | 'stopped'> {
  const prompts = await import('@clack/prompts');
  const tomorrow = now + DAY;
  const isFolder = entry.access !== undefined;
  const ready = isFolder ? undefined : await readySandbox(folder, described.agent);
  const options = [
    ...(ready === undefined
      ? []
      : [{ value: 'sandbox', label: 'in the sandbox', hint: `recommended: ${ready.backend} is ready` }]),
    { value: 'gateway', label: isFolder ? 'yes' : 'on this machine' },
    { value: 'tomorrow', label: `${isFolder ? 'yes' : 'on this machine'}, until ${timeText(tomorrow)}` },
    { value: 'no', label: 'no' },
  ];
  const answer = await prompts.select({ message: 'Allow it?', options, initialValue: options[0]!.value });
  if (prompts.isCancel(answer)) return 'stopped';
  if (answer === 'sandbox') return { where: 'sandbox' };
  if (answer === 'gateway') return { where: 'gateway' };
  return answer === 'tomorrow' ? { where: 'gateway', expiresAt: tomorrow } : 'no';
}

async function readySandbox(folder: string, agent: string): Promise<BackendProbe | undefined> {
  const program = programFile();
  if (program === undefined) return undefined;
  const { sandbox } = await loadExecSettings({ folder, agent: agent === '*' ? 'main' : agent });
  const found = (await probeBackends(sandbox, program)).at(-1);
  return found?.probe.ok === true ? found : undefined;
}
