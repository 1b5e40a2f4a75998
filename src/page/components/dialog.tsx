import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { BlockedNote, Button, type ButtonProps } from './button.tsx';
import { HostileText } from './hostile-text.tsx';

/** What the dialog is for: its last button. */
export interface DialogAction extends Pick<ButtonProps, 'blocked' | 'shortcut' | 'onPress'> {
  readonly kind: 'main' | 'destructive';
  readonly text: string;
}

interface DialogProps {
  readonly title: string;
  readonly children: ComponentChildren;
  /** Enter in a field is the same as its button, and is blocked with it. A destructive one is never focused first. */
  readonly action?: DialogAction | undefined;
  /** Before the button of the action. */
  readonly besides?: ComponentChildren;
  readonly class?: string;
  readonly onClose: () => void;
}

/**
 * A native modal dialog. The browser keeps the focus inside and gives it back to the opener; Escape closes it. The element with
 * `autofocus` gets the focus, else the first one.
 */
export function Dialog({ title, children, action, besides, onClose, class: name = '' }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  const [note, setNote] = useState('');
  useModal(element);
  return (
    <dialog
      ref={element}
      class={name}
      aria-labelledby={titleId}
      // Not `cancel`: a browser leaves it out when it closes a second dialog without a click or key in between.
      onClose={onClose}
    >
      <form
        onKeyDown={ignoreHeldEnter}
        onInput={() => setNote('')}
        onSubmit={(event) => {
          event.preventDefault();
          if (action?.blocked === undefined) action?.onPress();
          else setNote(action.blocked);
        }}
      >
        <h2 id={titleId}>{title}</h2>
        {/* Without it, Enter does nothing in a form with several fields. */}
        {action === undefined ? undefined : <button type="submit" hidden />}
        <BlockedNote.Provider value={setNote}>
          {children}
          <div class="actions">
            <p class="note" role="status">
              <HostileText text={note} />
            </p>
            <button type="button" class="button plain" onClick={() => element.current?.close()}>
              {action === undefined ? 'Close' : 'Cancel'}
            </button>
            {besides}
            {action === undefined ? undefined : <ActionButton {...action} />}
          </div>
        </BlockedNote.Provider>
      </form>
    </dialog>
  );
}

function ActionButton({ text, ...button }: DialogAction) {
  return <Button {...button}>{text}</Button>;
}

/** Opens the dialog while the component is shown; the opener gets the focus back. */
export function useModal(element: { readonly current: HTMLDialogElement | null }): void {
  // With the drawing, not after it: keys must find the dialog open.
  useLayoutEffect(() => {
    const dialog = element.current!;
    const opener = document.activeElement;
    dialog.showModal();
    dialog.querySelector<HTMLElement>('[data-autofocus]')?.focus();
    return () => {
      dialog.close();
      if (opener instanceof HTMLElement && opener.isConnected) opener.focus();
    };
  }, []);
}

/** A held Enter key would preview a change and also write it, so the next step needs a new press. */
function ignoreHeldEnter(event: KeyboardEvent): void {
  if (event.repeat && event.key === 'Enter' && !(event.target instanceof HTMLTextAreaElement)) event.preventDefault();
}
