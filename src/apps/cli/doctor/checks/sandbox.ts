/** Whether the sandbox backend works here. The probe runs the real sandbox profile. */
import { agentName } from '../../../../config/agent.ts';
import { loadConfig } from '../../../../config/load/load.ts';
import { sandboxSettings } from '../../../../config/sandbox-settings.ts';
import type { SandboxProbe, SandboxSettings } from '../../../../wire/sandbox.ts';
import { probeSandbox } from '../../../sandbox-probe.ts';
import { type Check, fail, type Finding, ok, skip, warn } from '../check.ts';

export const sandbox: Check = {
  id: 'sandbox',
  async run({ folder, env, home, program }) {
    const settings = sandboxSettings((await loadConfig({ folder, env })).config, agentName(env), home);
    const isRequired = settings.mode !== 'off';
    if (!isRequired && process.platform !== 'linux') return skip('sandbox.mode is off, and bubblewrap is for Linux');
    return probeFinding(settings, isRequired, await probeSandbox(settings, program));
  },
};

/** A missing backend is only a warning if sandbox.mode is off. */
function probeFinding(
  { backend, mode }: SandboxSettings,
  isRequired: boolean,
  probe: SandboxProbe,
): readonly Finding[] {
  const setting = `sandbox.mode is ${mode}`;
  if (!probe.ok)
    return (isRequired ? fail : warn)(`${setting}, and ${backend} cannot be used: ${probe.message}`, probe.hint);
  const passed = probe.promises.filter(({ holds }) => holds).length;
  return ok(
    `${setting}; ${backend} ${probe.version} works, ${passed} of ${probe.promises.length} isolation checks passed`,
  );
}
