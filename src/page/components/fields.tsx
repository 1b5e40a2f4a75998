import type { ComponentChildren, RefObject, TargetedKeyboardEvent } from 'preact';
import { useId } from 'preact/hooks';
import { hiddenAsNames } from '../text/pieces.ts';
import { Icon } from './icon.tsx';

interface SearchFieldProps {
  readonly label: string;
  readonly placeholder: string;
  readonly value: string;
  readonly onInput: (text: string) => void;
  readonly field?: RefObject<HTMLInputElement>;
}

/** The search of a screen; `/` moves the focus to it. */
export function SearchField({ label, placeholder, value, onInput, field }: SearchFieldProps) {
  return (
    <label class="search-field">
      <Icon name="search" />
      <span class="unseen">{label}</span>
      <input
        {...(field === undefined ? {} : { ref: field })}
        type="search"
        placeholder={placeholder}
        value={value}
        autocomplete="off"
        spellcheck={false}
        data-search
        onInput={(event) => onInput(event.currentTarget.value)}
      />
      <kbd aria-hidden="true">/</kbd>
    </label>
  );
}

/** Moves the focus to the search field of the screen. */
export function focusSearch(): void {
  document.querySelector<HTMLInputElement>('[data-search]')?.focus();
}

interface FieldProps {
  readonly label: string;
  readonly children: ComponentChildren;
}

/** A control with its visible label. */
function Field({ label, children }: FieldProps) {
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: the control is among the children
    <label class="field">
      <span class="field-label">{label}</span>
      {children}
    </label>
  );
}

interface TextFieldProps {
  readonly label: string;
  readonly note?: string;
  readonly value: string;
  readonly placeholder?: string;
  readonly multiline?: boolean;
  /** The dialog gives it the focus. */
  readonly autofocus?: boolean;
  readonly maxLength?: number;
  readonly onInput: (text: string) => void;
  /** Enter alone submits a field with several lines, too, and Shift+Enter begins a new one. */
  readonly enterSubmits?: boolean;
}

/** Enter submits the form; in a field with several lines, Ctrl+Enter or Cmd+Enter does. */
export function TextField(props: TextFieldProps) {
  const { label, note, multiline, autofocus, onInput, enterSubmits = false, ...attributes } = props;
  const noteId = useId();
  const shared = {
    ...attributes,
    'aria-describedby': note === undefined ? undefined : noteId,
    'data-autofocus': autofocus === true ? '' : undefined,
    onInput: (event: { currentTarget: { value: string } }) => onInput(event.currentTarget.value),
  };
  const submitOnEnter = (event: TargetedKeyboardEvent<HTMLTextAreaElement>): void => {
    if (event.key !== 'Enter' || event.isComposing) return;
    if (!event.ctrlKey && !event.metaKey && (!enterSubmits || event.shiftKey)) return;
    event.preventDefault();
    if (!event.repeat) event.currentTarget.form?.requestSubmit();
  };
  return (
    <div class="field">
      <Field label={label}>
        {multiline === true ? (
          <textarea rows={3} {...shared} onKeyDown={submitOnEnter} />
        ) : (
          <input type="text" {...shared} />
        )}
      </Field>
      {note === undefined ? undefined : (
        <span class="note" id={noteId}>
          {note}
        </span>
      )}
    </div>
  );
}

interface ChoiceProps<V extends string> {
  readonly label: string;
  readonly options: readonly { readonly value: V; readonly text: string }[];
  readonly value: V;
  readonly onChange: (value: V) => void;
}

export function SelectField<V extends string>({ label, options, value, onChange }: ChoiceProps<V>) {
  return (
    <Field label={label}>
      <select value={value} onChange={(event) => onChange(event.currentTarget.value as V)}>
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {hiddenAsNames(option.text)}
          </option>
        ))}
      </select>
    </Field>
  );
}

export function RadioField<V extends string>({ label, options, value, onChange }: ChoiceProps<V>) {
  return (
    <fieldset class="radio-field">
      <legend class="field-label">{label}</legend>
      {options.map((option) => (
        <label key={option.value} class="option">
          <input type="radio" name={label} checked={option.value === value} onChange={() => onChange(option.value)} />
          <span>{option.text}</span>
        </label>
      ))}
    </fieldset>
  );
}

interface CheckFieldProps {
  readonly label: string;
  readonly checked: boolean;
  readonly onChange: (checked: boolean) => void;
}

export function CheckField({ label, checked, onChange }: CheckFieldProps) {
  return (
    <label class="option">
      <input type="checkbox" checked={checked} onChange={(event) => onChange(event.currentTarget.checked)} />
      <span>{label}</span>
    </label>
  );
}
