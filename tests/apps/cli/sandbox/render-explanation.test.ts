import { expect, it } from 'vitest';
import { type Explanation, renderExplanation } from '../../../../src/apps/cli/sandbox/render-explanation.ts';
import { sandboxTable } from '../../../../src/apps/cli/sandbox/sandbox-table.ts';
import { execSettings } from '../../../../src/config/exec-settings.ts';
import type { SandboxInfo } from '../../../../src/wire/sandbox.ts';

const { sandbox: settings } = execSettings({ config: {}, sources: [], warnings: [] }, 'main', '/');
const RUNNING: SandboxInfo = {
  id: 'main-1',
  backend: 'podman',
  scope: 'agent',
  owner: 'main',
  workspace: '/ws',
  workspaceAccess: 'rw',
  startedAt: 0,
  lastUsedAt: 60_000,
  running: 0,
};
const HELD: Explanation = {
  agent: 'main',
  folder: '/ws',
  sandboxed: true,
  commandsSandboxed: true,
  commands:
    'commands run in a sandbox (podman) and are not judged: the sandbox limits what they can reach (no network, workspace writable)',
  files: 'file tools run in the sandbox (podman), with the workspace',
  reason: 'sandbox.mode is all',
  backend: 'podman',
  settings,
  probe: {
    ok: true,
    version: '4.3',
    promises: [
      { id: 'root', what: 'the root cannot be written', holds: true },
      { id: 'secrets', what: 'secrets cannot be read', holds: true, reason: 'the gateway runs as root' },
      { id: 'memory', what: 'memory is limited', holds: false, reason: 'rootless on cgroup v1' },
    ],
  },
  open: [RUNNING],
};

it('shows passed and failed checks, and the source of each setting', () => {
  const sources = [
    { path: 'sandbox.mode', value: 'all', layer: 'user', file: '/home/p.jsonc', line: 3 },
    { path: 'sandbox.backend', value: 'podman', layer: 'environment', variable: 'PINCER_SANDBOX_BACKEND' },
    { path: 'sandbox.scope', value: 'agent', layer: 'default' },
  ];
  expect(renderExplanation(HELD, sources, false).split('\n')).toEqual([
    'agent main in /ws: commands are in a sandbox',
    '  commands run in a sandbox (podman) and are not judged: the sandbox limits what they can reach (no network, workspace writable)',
    '  file tools run in the sandbox (podman), with the workspace',
    '  sandbox.mode is all',
    '  podman 4.3 works here',
    '  main-1 is running, with 0 active commands',
    '',
    '2 of 3 isolation checks passed',
    '  failed: memory is limited (memory): rootless on cgroup v1',
    '  note: secrets: the gateway runs as root',
    '',
    'sandbox.mode = "all"  user  /home/p.jsonc:3',
    'sandbox.backend = "podman"  environment  PINCER_SANDBOX_BACKEND',
    'sandbox.scope = "agent"  default',
    '',
  ]);
});

it('shows a hint if the backend does not work', () => {
  const probe = { ok: false, message: 'bubblewrap is not installed', hint: 'run "apt install bubblewrap"' } as const;
  expect(renderExplanation({ ...HELD, probe, backend: 'bubblewrap', open: [] }, [], false)).toContain(
    '  bubblewrap does not work here: bubblewrap is not installed\n  hint: run "apt install bubblewrap"\n',
  );
});

it('lists running sandboxes and escapes control characters', () => {
  const hostile = { ...RUNNING, owner: 'main (\u001b[31m)', running: 2 };
  expect(sandboxTable([RUNNING, hostile], 120_000, false).split('\n')).toEqual([
    'ID      BACKEND  OWNER              ACCESS  RUNNING  UP     UNUSED  WORKSPACE',
    'main-1  podman   main               rw      0        2m00s  1m00s   /ws',
    'main-1  podman   main (\\u001b[31m)  rw      2        2m00s  -       /ws',
    '',
  ]);
});
