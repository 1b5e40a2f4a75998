import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { useModal } from '../components/dialog.tsx';
import { HostileText } from '../components/hostile-text.tsx';
import { Icon } from '../components/icon.tsx';
import { navigate } from '../router.ts';
import { SCREENS } from '../screens/registry.ts';
import { type FoundItem, itemsWith } from '../state/find.ts';

function found(words: string): readonly FoundItem[] {
  const names = SCREENS.filter(({ name }) => name.toLowerCase().includes(words.trim().toLowerCase()));
  const offered = new Set(SCREENS.map(({ name }) => name));
  return [
    ...names.map(({ href, name }) => ({ href, screen: '', text: name })),
    ...itemsWith(words).filter(({ screen }) => offered.has(screen)),
  ];
}

function placeOf(href: string | undefined, items: readonly FoundItem[]): number {
  return Math.max(
    0,
    items.findIndex((item) => item.href === href),
  );
}

/** Finds screens and items by their words; Enter opens the selected one. */
export function Find({ onClose }: { readonly onClose: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  // Signals: Enter right after the last letter must see it, also before the next frame is drawn.
  const words = useSignal('');
  /** The address of the selected item, and not its place: items come and go. Default: the first one. */
  const selected = useSignal<string | undefined>(undefined);
  const items = found(words.value);
  const at = placeOf(selected.value, items);
  useModal(dialog);
  useEffect(() => dialog.current?.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' }), [at]);
  const open = (item: FoundItem | undefined): void => {
    if (item === undefined) return;
    onClose();
    navigate(item.href);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1, Enter: 0 }[event.key];
    if (step === undefined) return;
    const now = found(words.peek());
    const next = now[(placeOf(selected.peek(), now) + step + now.length) % Math.max(1, now.length)];
    if (event.key === 'Enter') open(next);
    else selected.value = next?.href;
    event.preventDefault();
  };
  return (
    <dialog ref={dialog} class="find" aria-label="Find" onClose={onClose}>
      <label class="search-field">
        <Icon name="search" />
        <input
          type="text"
          role="combobox"
          aria-label="Find a screen or an item"
          aria-expanded="true"
          aria-controls="found"
          aria-activedescendant={items.length === 0 ? undefined : `found-${at}`}
          placeholder="Find a screen, a command, a session, a node"
          autocomplete="off"
          spellcheck={false}
          value={words.value}
          onInput={(event) => {
            words.value = event.currentTarget.value;
            selected.value = undefined;
          }}
          onKeyDown={onKeyDown}
        />
      </label>
      <div role="listbox" id="found" aria-label="Found" class="found">
        {items.map((item, i) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the field above has the keys of the list
          // biome-ignore lint/a11y/useFocusableInteractive: aria-activedescendant names the option
          <div key={item.href} role="option" id={`found-${i}`} aria-selected={i === at} onClick={() => open(item)}>
            <span class="found-screen">{item.screen === '' ? 'Screen' : item.screen}</span>
            <span class="found-text">
              <HostileText text={item.text} />
            </span>
          </div>
        ))}
      </div>
      {items.length === 0 ? <p class="note found-none">Nothing matches these words.</p> : undefined}
    </dialog>
  );
}
