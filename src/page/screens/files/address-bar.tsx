import { useEffect, useId, useState } from 'preact/hooks';
import { FaultNote } from '../../components/callout.tsx';
import { CopyButton } from '../../components/copy.tsx';
import { HostileText } from '../../components/hostile-text.tsx';
import { navigate, place } from '../../router.ts';
import { useLoaded } from '../../state/loaded.ts';
import { completions } from './address.ts';
import type { OutlineEntry } from './answers.ts';
import { type Inspected, inspect } from './inspect.ts';
import { Slots } from './slots.tsx';
import { Views } from './views.tsx';

interface AddressBarProps {
  readonly address: string | undefined;
  readonly inspected: Inspected | undefined;
  /** Why it could not be looked up. */
  readonly error: unknown;
  readonly outline: readonly OutlineEntry[];
}

const MOST_OFFERED = 12;
/** A typed address is looked up when the person pauses. */
const PAUSE_MS = 150;

/** The address of what is shown. Typing another one says at once what it means; Enter goes there. */
export function AddressBar({ address, inspected, error, outline }: AddressBarProps) {
  const current = inspected?.typed === address ? (inspected?.formatted ?? address ?? '') : (address ?? '');
  const [typed, setTyped] = useState<string | undefined>(undefined);
  const [selected, setSelected] = useState(-1);
  const listId = useId();
  const text = typed ?? current;
  const paused = usePaused(typed);
  const { value: typedMeaning, error: typedError } = useLoaded(paused, (signal) => inspect(paused ?? '', signal));
  const problem = typed === undefined ? error : typedError;
  useEffect(() => setTyped(undefined), [address]);
  const offered =
    typed === undefined
      ? []
      : completions(
          outline.map(({ path }) => path),
          typed,
          MOST_OFFERED,
        );
  const isOpen = offered.length > 0;
  const go = (wanted: string): void => {
    setTyped(undefined);
    setSelected(-1);
    if (wanted !== '') navigate(`${place.peek().path}?${new URLSearchParams({ at: wanted })}`);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined && isOpen) setSelected((selected + step + offered.length) % offered.length);
    else if (event.key === 'Enter') go(offered[selected] ?? (event.currentTarget as HTMLInputElement).value.trim());
    else if (event.key === 'Escape' && typed !== undefined) setTyped(undefined);
    else return;
    event.preventDefault();
  };
  return (
    <div class="address-bar">
      <div class="row">
        <Views />
        <div class="address-field grow">
          <label class="search-field">
            <span class="unseen">Address</span>
            <input
              type="text"
              class="mono"
              role="combobox"
              aria-expanded={isOpen}
              aria-controls={listId}
              aria-autocomplete="list"
              aria-activedescendant={isOpen && selected >= 0 ? `${listId}-${selected}` : undefined}
              placeholder="oc://file/section/item/field"
              autocomplete="off"
              spellcheck={false}
              data-search
              value={text}
              onInput={(event) => {
                setTyped(event.currentTarget.value);
                setSelected(-1);
              }}
              onBlur={() => setSelected(-1)}
              onKeyDown={onKeyDown}
            />
            <kbd aria-hidden="true">/</kbd>
          </label>
          <div class="offered" id={listId} role="listbox" aria-label="Addresses of this file" hidden={!isOpen}>
            {offered.map((one, i) => (
              // biome-ignore lint/a11y/useFocusableInteractive: the focus stays in the field, which names the active option
              // biome-ignore lint/a11y/useKeyWithClickEvents: the field handles the keys
              <div
                key={one}
                id={`${listId}-${i}`}
                role="option"
                aria-selected={i === selected}
                onMouseDown={(event) => event.preventDefault()}
                onClick={() => go(one)}
              >
                <HostileText text={one} />
              </div>
            ))}
          </div>
        </div>
        <CopyButton text={text} what="the address" />
      </div>
      {problem === undefined ? (
        <Slots inspected={typed === undefined ? inspected : typedMeaning} isTyping={typed !== undefined} />
      ) : (
        <FaultNote error={problem} />
      )}
    </div>
  );
}

function usePaused(typed: string | undefined): string | undefined {
  const [paused, setPaused] = useState<string | undefined>(undefined);
  useEffect(() => {
    const timer = setTimeout(() => setPaused(typed?.trim() || undefined), typed === undefined ? 0 : PAUSE_MS);
    return () => clearTimeout(timer);
  }, [typed]);
  return paused;
}
