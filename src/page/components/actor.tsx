import type { ApprovalInfo } from '../../wire/approval.ts';
import type { HostName } from '../../wire/policy.ts';
import { HostileText } from './hostile-text.tsx';
import { Icon } from './icon.tsx';

interface Where {
  readonly host: HostName;
  readonly node?: Pick<NonNullable<ApprovalInfo['node']>, 'name'> | undefined;
  /** It really runs in a sandbox; `host` is `sandbox` also where sandboxing is off. */
  readonly sandbox?: true | undefined;
}

/** Where something runs, in fixed words; the name of a node always has the word before it. */
export function whereText({ host, node, sandbox }: Where): string {
  if (node !== undefined || host === 'node') return `node ${node?.name ?? 'unknown'}`;
  return sandbox === true ? 'sandbox' : 'this machine';
}

/** `agent builder › this machine`: an icon precedes each untrusted name. */
export function ActorAndPlace({ agent, where }: { readonly agent: string; readonly where: Where }) {
  return (
    <span class="actor">
      <HostileText text={agent} />
      <Icon name="next" />
      <HostileText text={whereText(where)} />
    </span>
  );
}
