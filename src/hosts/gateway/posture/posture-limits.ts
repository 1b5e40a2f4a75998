/** What commands in a sandbox cannot do that people expect of them, from the settings that the sandbox is made with. */
import type { SandboxSettings } from '../../../wire/sandbox.ts';
import { INSIDE } from '../../sandbox/backend.ts';

const MOST_NAMES = 3;

/** One line: the network, and git in the workspace. */
export function limitsText(sandbox: Pick<SandboxSettings, 'networkAllow' | 'binds' | 'workspaceAccess'>): string {
  return `in the sandbox: ${[networkText(sandbox), ...gitText(sandbox)].join('; ')}`;
}

function networkText({ networkAllow: names }: Pick<SandboxSettings, 'networkAllow'>): string {
  if (names.length === 0) return 'no network (sandbox.network.allow)';
  const more = names.length > MOST_NAMES ? ` and ${names.length - MOST_NAMES} more` : '';
  return `network only to ${names.slice(0, MOST_NAMES).join(', ')}${more}`;
}

/** The repository of a workspace that may be written is guarded, unless the operator has bound it. */
function gitText({ workspaceAccess, binds }: Pick<SandboxSettings, 'workspaceAccess' | 'binds'>): readonly string[] {
  if (workspaceAccess !== 'rw') return [];
  const isBound = binds.some(({ target, access }) => target === `${INSIDE}/.git` && access === 'rw');
  return isBound ? [] : ['git can read and cannot commit (sandbox.binds)'];
}
