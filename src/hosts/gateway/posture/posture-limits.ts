/** What confines commands in a sandbox, from the settings that the sandbox is made with. */
import type { SandboxSettings } from '../../../wire/sandbox.ts';
import { INSIDE } from '../../sandbox/backend.ts';

const MOST_NAMES = 3;
const WORKSPACE: Readonly<Record<SandboxSettings['workspaceAccess'], string>> = {
  none: 'private workspace',
  ro: 'workspace read-only',
  rw: 'workspace writable',
};

/** What a command in the sandbox can reach: the network and the workspace. */
export function reachText(sandbox: Pick<SandboxSettings, 'networkAllow' | 'workspaceAccess'>): string {
  return `${networkText(sandbox)}, ${WORKSPACE[sandbox.workspaceAccess]}`;
}

/** Why a caller whose host is the sandbox has none. */
export function noSandboxText({ mode }: Pick<SandboxSettings, 'mode'>): string {
  return mode === 'off' ? 'no sandbox is set up (sandbox.mode=off)' : `sandbox.mode=${mode} excludes this conversation`;
}

/** What people expect of commands that does not work in the sandbox, with the settings that change it. */
export function limitsText(sandbox: Pick<SandboxSettings, 'networkAllow' | 'binds' | 'workspaceAccess'>): string {
  const setting = sandbox.networkAllow.length === 0 ? ' (sandbox.network.allow)' : '';
  return `in the sandbox: ${[`${networkText(sandbox)}${setting}`, ...gitText(sandbox)].join('; ')}`;
}

function networkText({ networkAllow: names }: Pick<SandboxSettings, 'networkAllow'>): string {
  if (names.length === 0) return 'no network';
  const more = names.length > MOST_NAMES ? ` and ${names.length - MOST_NAMES} more` : '';
  return `network only to ${names.slice(0, MOST_NAMES).join(', ')}${more}`;
}

/** Pincer guards the repository of a writable workspace, unless the operator has bound it. */
function gitText({ workspaceAccess, binds }: Pick<SandboxSettings, 'workspaceAccess' | 'binds'>): readonly string[] {
  if (workspaceAccess !== 'rw') return [];
  const isBound = binds.some(({ target, access }) => target === `${INSIDE}/.git` && access === 'rw');
  return isBound ? [] : ['git can read and cannot commit (sandbox.binds)'];
}
