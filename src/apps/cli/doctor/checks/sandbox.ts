/** Sandboxes: whether what makes them works here. The backend itself is asked, which runs its real profile. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadConfig } from '../../../../config/load.ts';
import { sandboxSettings } from '../../../../config/sandbox.ts';
import type { SandboxProbe, SandboxSettings } from '../../../../wire/sandbox.ts';
import { sandboxTechnology } from '../../../gateway/sandboxes.ts';
import { type Check, fail, type Finding, ok, type Patient, skip, warn } from '../check.ts';

export const sandbox: Check = {
  id: 'sandbox',
  async look(patient) {
    const { folder, env, home } = patient;
    const settings = sandboxSettings((await loadConfig({ folder, env })).config, 'main', home);
    const isAsked = settings.mode !== 'off';
    if (!isAsked && process.platform !== 'linux') return skip('sandbox.mode is off, and bubblewrap is for Linux');
    return found(settings, isAsked, await probed(settings, patient));
  },
};

/** What nobody has asked for may be missing. */
function found({ backend, mode }: SandboxSettings, isAsked: boolean, probe: SandboxProbe): readonly Finding[] {
  const asked = isAsked ? `sandbox.mode is ${mode}` : 'sandbox.mode is off';
  if (!probe.ok)
    return (isAsked ? fail : warn)(`${asked}, and ${backend} cannot be used: ${probe.message}`, probe.hint);
  const held = probe.promises.filter(({ holds }) => holds).length;
  return ok(`${asked}; ${backend} ${probe.version} works, and ${held} of ${probe.promises.length} promises hold here`);
}

/** Nothing is left in the state folder by whoever only looks. */
async function probed(settings: SandboxSettings, { program }: Patient): Promise<SandboxProbe> {
  const place = mkdtempSync(join(tmpdir(), 'pincer-doctor-'));
  try {
    const technology = sandboxTechnology(program, { stateDir: place, runtimeDir: place });
    return await (await technology.backendFor(settings)).probe();
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}
