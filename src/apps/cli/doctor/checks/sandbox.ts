/** Sandboxes: whether what makes them works here. The backend itself is asked, which runs its real profile. */
import { agentName } from '../../../../config/agent.ts';
import { loadConfig } from '../../../../config/load/load.ts';
import { sandboxSettings } from '../../../../config/sandbox-settings.ts';
import type { SandboxProbe, SandboxSettings } from '../../../../wire/sandbox.ts';
import { probeSandbox } from '../../../sandbox-probe.ts';
import { type Check, fail, type Finding, ok, skip, warn } from '../check.ts';

export const sandbox: Check = {
  id: 'sandbox',
  async look({ folder, env, home, program }) {
    const settings = sandboxSettings((await loadConfig({ folder, env })).config, agentName(env), home);
    const isAsked = settings.mode !== 'off';
    if (!isAsked && process.platform !== 'linux') return skip('sandbox.mode is off, and bubblewrap is for Linux');
    return found(settings, isAsked, await probeSandbox(settings, program));
  },
};

/** What nobody has asked for may be missing. */
function found({ backend, mode }: SandboxSettings, isAsked: boolean, probe: SandboxProbe): readonly Finding[] {
  const asked = isAsked ? `sandbox.mode is ${mode}` : 'sandbox.mode is off';
  if (!probe.ok)
    return (isAsked ? fail : warn)(`${asked}, and ${backend} cannot be used: ${probe.message}`, probe.hint);
  const held = probe.promises.filter(({ holds }) => holds).length;
  return ok(`${asked}; ${backend} ${probe.version} works, ${held} of ${probe.promises.length} isolation checks passed`);
}
