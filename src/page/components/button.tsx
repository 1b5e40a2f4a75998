import { type ComponentChildren, createContext } from 'preact';
import { useContext, useId } from 'preact/hooks';
import { toast } from '../state/toasts.ts';
import { hiddenAsNames } from '../text/pieces.ts';
import { Icon, type IconName } from './icon.tsx';

/** Where a blocked button says why. A dialog has its own place: it covers the toasts, and screen readers read only the dialog. */
export const BlockedNote = createContext<(reason: string) => void>(toast);

export interface ButtonProps {
  readonly kind?: 'main' | 'plain' | 'destructive' | 'quiet';
  readonly icon?: IconName;
  readonly children?: ComponentChildren;
  /** The name, where the button shows an icon only. */
  readonly label?: string;
  /** What the button acts on, for screen readers: the name is the visible text and this. */
  readonly about?: string;
  /** The key that does the same. */
  readonly shortcut?: string;
  /** Why the button does nothing now. It stays focusable, and says this. */
  readonly blocked?: string | undefined;
  readonly pressed?: boolean;
  /** For buttons that only a wide window shows. */
  readonly class?: string;
  readonly onPress: () => void;
}

export function Button({ kind = 'plain', icon, children, label, about, shortcut, blocked, ...rest }: ButtonProps) {
  const reasonId = useId();
  const title = blocked ?? label;
  const say = useContext(BlockedNote);
  const press = (): void => (blocked === undefined ? rest.onPress() : say(blocked));
  return (
    <button
      type="button"
      class={`button ${kind}${children === undefined ? ' only-icon' : ''} ${rest.class ?? ''}`}
      aria-label={label === undefined ? undefined : hiddenAsNames(label)}
      aria-pressed={rest.pressed}
      aria-disabled={blocked !== undefined}
      aria-describedby={blocked === undefined ? undefined : reasonId}
      aria-keyshortcuts={shortcut === undefined ? undefined : keyName(shortcut)}
      title={title === undefined ? undefined : hiddenAsNames(title)}
      onClick={press}
    >
      {icon === undefined ? undefined : <Icon name={icon} />}
      {children}
      {about === undefined ? undefined : <span class="unseen">: {hiddenAsNames(about)}</span>}
      {shortcut === undefined ? undefined : <kbd aria-hidden="true">{shortcut}</kbd>}
      {blocked === undefined ? undefined : (
        <span class="unseen" id={reasonId} aria-hidden="true">
          {hiddenAsNames(blocked)}
        </span>
      )}
    </button>
  );
}

/** `A` is `Shift+A` for a screen reader. */
function keyName(key: string): string {
  return /^[A-Z]$/u.test(key) ? `Shift+${key}` : key;
}
