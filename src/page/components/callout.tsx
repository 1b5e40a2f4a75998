import type { ComponentChildren } from 'preact';
import { CallError } from '../socket/calls.ts';
import { HostileText } from './hostile-text.tsx';
import { Icon, type IconName } from './icon.tsx';

interface CalloutProps {
  readonly tone: 'ok' | 'ask' | 'no' | 'plain';
  readonly icon: IconName;
  readonly role?: 'alert' | 'status';
  readonly children: ComponentChildren;
}

export function Callout({ tone, icon, role, children }: CalloutProps) {
  return (
    <div class={`callout ${tone}`} role={role}>
      <Icon name={icon} />
      <div>{children}</div>
    </div>
  );
}

/** What went wrong, and what to do about it. */
export function problemOf(error: unknown): { readonly message: string; readonly hint: string | undefined } {
  return {
    message: error instanceof Error ? error.message : String(error),
    hint: error instanceof CallError ? error.hint : undefined,
  };
}

/** A failed call, in the place where it was made. */
export function FaultNote({ error }: { readonly error: unknown }) {
  const { message, hint } = problemOf(error);
  return (
    <Callout tone="no" icon="warn" role="alert">
      <b>
        <HostileText text={message} />
      </b>
      {hint === undefined ? undefined : (
        <span class="note">
          <HostileText text={hint} />
        </span>
      )}
    </Callout>
  );
}
