import { useEffect, useRef, useState } from 'preact/hooks';
import { hiddenCharacters } from '../../../base/hidden-characters.ts';
import { hiddenAsNames } from '../../text/pieces.ts';
import { Button } from '../button.tsx';
import { TextField } from '../fields.tsx';
import { CommandText } from '../hostile-text.tsx';

interface HostileFieldProps {
  readonly label: string;
  readonly value: string;
  /** What others have filled in. */
  readonly given: string;
  readonly placeholder?: string;
  readonly onInput: (text: string) => void;
}

/**
 * A field that others may have filled in. A field shows hidden characters as they are, so that a text can look reversed: until the
 * person edits it, such a text is shown with badges; afterwards, the badges are below the field.
 */
export function HostileField({ label, value, given, placeholder = '', onInput }: HostileFieldProps) {
  const [edited, setEdited] = useState<string | undefined>(undefined);
  const wantsFocus = useRef(false);
  const element = useRef<HTMLDivElement>(null);
  const hasHidden = hiddenCharacters(value).length > 0;
  const isEditing = edited === given;
  useEffect(() => {
    if (!wantsFocus.current) return;
    wantsFocus.current = false;
    element.current?.querySelector<HTMLElement>('input, textarea')?.focus();
  }, [isEditing]);
  const edit = (): void => {
    wantsFocus.current = true;
    setEdited(given);
  };
  return (
    <div class="field" ref={element}>
      {hasHidden && !isEditing ? (
        // biome-ignore lint/a11y/useSemanticElements: a fieldset is for controls
        <div class="field" role="group" aria-label={label}>
          <span class="field-label">{label}</span>
          <div class="filled-in">
            <CommandText text={value} />
            <Button kind="quiet" about={label} onPress={edit}>
              Edit
            </Button>
          </div>
        </div>
      ) : (
        <TextField
          label={label}
          value={value}
          placeholder={hiddenAsNames(placeholder)}
          // A field of one line drops line ends. It does not become another one while the person types.
          multiline={given.includes('\n')}
          onInput={(text) => {
            setEdited(given);
            onInput(text);
          }}
        />
      )}
      {hasHidden && isEditing ? (
        <p class="note">
          Hidden characters: <CommandText text={value} />
        </p>
      ) : undefined}
    </div>
  );
}
