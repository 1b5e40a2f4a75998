import type { ComponentChildren } from 'preact';
import { Icon, type IconName } from './icon.tsx';
import { Snippet } from './copy.tsx';

interface EmptyStateProps {
  readonly icon: IconName;
  readonly title: string;
  readonly children: ComponentChildren;
  /** One command that a person can copy. */
  readonly command?: string;
}

export function EmptyState({ icon, title, children, command }: EmptyStateProps) {
  return (
    <div class="empty-state">
      <Icon name={icon} />
      <h2>{title}</h2>
      <p>{children}</p>
      {command === undefined ? undefined : <Snippet text={command} />}
    </div>
  );
}
