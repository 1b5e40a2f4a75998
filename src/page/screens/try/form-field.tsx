import { useId } from 'preact/hooks';
import { HostileText } from '../../components/hostile-text.tsx';
import type { FormField } from './form.ts';

interface FormFieldProps {
  readonly field: FormField;
  readonly text: string;
  readonly problem: string | undefined;
  readonly onInput: (text: string) => void;
}

/** Texts that often have several lines. */
const LONG_TEXTS: ReadonlySet<string> = new Set(['content', 'oldText', 'newText', 'input', 'text', 'data']);

/** One parameter: its name, what it means, and what is wrong with the text. */
export function FormFieldView({ field, text, problem, onInput }: FormFieldProps) {
  const { name, kind, description } = field;
  const id = useId();
  return (
    <div class="tool-field">
      <label for={id}>
        <code>{name}</code>
      </label>
      <Control field={field} id={id} text={text} isWrong={problem !== undefined} onInput={onInput} />
      <p class="note" id={`${id}-about`}>
        <HostileText text={description} />
        {kind === 'json' ? ` Written as JSON${field.jsonType === undefined ? '' : ` (${field.jsonType})`}.` : ''}
      </p>
      {problem === undefined ? undefined : (
        <p class="problem" id={`${id}-problem`} role="alert">
          {problem}
        </p>
      )}
    </div>
  );
}

interface ControlProps {
  readonly field: FormField;
  readonly id: string;
  readonly text: string;
  readonly isWrong: boolean;
  readonly onInput: (text: string) => void;
}

function Control({ field, id, text, isWrong, onInput }: ControlProps) {
  const { name, kind, choices, isRequired } = field;
  const shared = {
    id,
    value: text,
    'data-field': name,
    'aria-required': isRequired,
    'aria-invalid': isWrong,
    'aria-describedby': isWrong ? `${id}-about ${id}-problem` : `${id}-about`,
  };
  const typed = (event: { currentTarget: { value: string } }): void => onInput(event.currentTarget.value);
  if (kind === 'choice' || kind === 'boolean')
    return (
      <select {...shared} onChange={typed}>
        <option value="">{isRequired ? 'Choose…' : 'Not set'}</option>
        {choices.map((choice) => (
          <option key={choice} value={choice}>
            {choice}
          </option>
        ))}
      </select>
    );
  const plain = { ...shared, class: 'mono', spellcheck: false, autocomplete: 'off', onInput: typed };
  if (kind === 'json' || (kind === 'text' && LONG_TEXTS.has(name))) return <textarea rows={3} {...plain} />;
  return <input type="text" inputMode={kind === 'text' ? 'text' : 'decimal'} {...plain} />;
}
