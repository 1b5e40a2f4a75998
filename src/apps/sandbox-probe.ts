/** Finds a sandbox backend that works on this machine: each backend runs its real profile once. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SandboxProbe, SandboxSettings } from '../wire/sandbox.ts';
import { sandboxTechnology } from './daemon/sandboxes.ts';

export interface BackendProbe {
  readonly backend: SandboxSettings['backend'];
  readonly probe: SandboxProbe;
}

/** Probes the backend of these settings in a temporary folder, not in the state folder. */
export async function probeSandbox(settings: SandboxSettings, program: string): Promise<SandboxProbe> {
  const place = mkdtempSync(join(tmpdir(), 'pincer-probe-'));
  try {
    const technology = sandboxTechnology(program, { stateDir: place, runtimeDir: place });
    return await (await technology.backendFor(settings)).probe();
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}

/** Probes the configured backend, then the others, until one works. */
export async function probeBackends(settings: SandboxSettings, program: string): Promise<readonly BackendProbe[]> {
  const found: BackendProbe[] = [];
  for (const backend of new Set([settings.backend, 'bubblewrap', 'docker', 'podman'] as const)) {
    const probe = await probeSandbox({ ...settings, backend }, program);
    found.push({ backend, probe });
    if (probe.ok) break;
  }
  return found;
}
