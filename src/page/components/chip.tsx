import type { ComponentChildren } from 'preact';
import { Icon, type IconName } from './icon.tsx';

export type Tone = 'ok' | 'ask' | 'no' | 'muted';

interface ChipProps {
  readonly tone: Tone;
  readonly icon: IconName;
  /** On a background of its tone. */
  readonly boxed?: boolean;
  readonly children: ComponentChildren;
}

/** A state: always an icon and a text, never colour alone. */
export function Chip({ tone, icon, boxed = false, children }: ChipProps) {
  return (
    <span class={`chip ${tone}${boxed ? ' boxed' : ''}`}>
      <Icon name={icon} />
      {children}
    </span>
  );
}
