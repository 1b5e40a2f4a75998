import { useSignal } from '@preact/signals';
import { useId, useState } from 'preact/hooks';
import { hiddenCharacters } from '../../../base/hidden-characters.ts';
import { Button } from '../../components/button.tsx';
import { Callout, FaultNote } from '../../components/callout.tsx';
import { Diff } from '../../components/diff.tsx';
import { CheckField } from '../../components/fields.tsx';
import { CodeText, HostileText } from '../../components/hostile-text.tsx';
import { CallError } from '../../socket/calls.ts';
import { linkBlocked, writeBlocked } from '../../state/link.ts';
import { toast } from '../../state/toasts.ts';
import { previewDetails, writtenDetails } from './answers.ts';
import type { Place } from './inspect.ts';
import { callTool } from './operator-tool.ts';

interface SetValueProps {
  readonly place: Place;
  /** Why tools may not write the file. */
  readonly locked: string | undefined;
  readonly onWritten: () => void;
}

/** As text the value keeps its type; as JSON it may get another one. */
type NewValue = { readonly value: string } | { readonly valueJson: string };

interface Preview {
  readonly value: NewValue;
  readonly diff: string;
  /** Of the content that the diff is about. */
  readonly hash?: string | undefined;
  /** The file changed after the first preview. */
  readonly isNew?: true;
}

const HIDDEN = '***';

/** Changes one value: the diff is shown first, and only what it shows is written. */
export function SetValue({ place: { path, match }, locked, onWritten }: SetValueProps) {
  const isHidden = match.valueText === HIDDEN && match.end === undefined;
  const present = isHidden ? '' : (match.valueText ?? '');
  // A signal: a key press right after the last letter must see it, also before the next frame is drawn.
  const value = useSignal(present);
  const [isJson, setJson] = useState(false);
  const [preview, setPreview] = useState<Preview | undefined>(undefined);
  const [error, setError] = useState<unknown>(undefined);
  const [isBusy, setBusy] = useState(false);
  const fieldId = useId();
  if (locked !== undefined)
    return (
      <div class="set-value">
        <Callout tone="plain" icon="lock">
          <b>This file is locked.</b>
          <span class="note">
            <HostileText text={locked} />
          </span>
        </Callout>
      </div>
    );

  const attempt = async (work: () => Promise<void>): Promise<void> => {
    setBusy(true);
    setError(undefined);
    try {
      await work();
    } catch (failure) {
      setError(failure);
    } finally {
      setBusy(false);
    }
  };
  const load = async (isNew?: true): Promise<void> => {
    const wanted = isJson ? { valueJson: value.peek() } : { value: value.peek() };
    const { details } = await callTool(
      'path',
      { verb: 'set', path, ...wanted, dryRun: true, diff: true },
      previewDetails,
    );
    setPreview({
      value: wanted,
      diff: details.diff ?? '',
      hash: details.hash,
      ...(isNew === undefined ? {} : { isNew }),
    });
  };
  const write = async ({ value: shown, hash }: Preview): Promise<void> => {
    const expected = hash === undefined ? {} : { expectHash: hash };
    try {
      await callTool('path', { verb: 'set', path, ...shown, ...expected }, writtenDetails);
    } catch (failure) {
      if (!(failure instanceof CallError) || failure.code !== 'EDIT_STALE') throw failure;
      return load(true);
    }
    setPreview(undefined);
    toast('Written. Undo is in Changes.');
    onWritten();
  };
  const busyReason = isBusy ? 'In progress.' : undefined;
  return (
    <form
      class="set-value"
      aria-label="Change this value"
      onSubmit={(event) => {
        event.preventDefault();
        if (preview === undefined && !isBusy) void attempt(load);
      }}
    >
      <div class="row">
        <label class="field-label" for={fieldId}>
          Set to
        </label>
        <ValueField
          id={fieldId}
          value={value.value}
          placeholder={isHidden ? 'The current value is hidden' : ''}
          onInput={(text) => {
            value.value = text;
            setPreview(undefined);
          }}
        />
        {preview === undefined ? (
          <Button blocked={busyReason ?? linkBlocked.value} onPress={() => void attempt(load)}>
            Preview
          </Button>
        ) : (
          <>
            <Button
              kind="main"
              blocked={busyReason ?? writeBlocked.value ?? (preview.diff === '' ? 'The value is the same.' : undefined)}
              onPress={() => void attempt(() => write(preview))}
            >
              Write
            </Button>
            <Button onPress={() => setPreview(undefined)}>Cancel</Button>
          </>
        )}
      </div>
      <CheckField
        label="As JSON: may change the type (--value-json)"
        checked={isJson}
        onChange={(checked) => {
          setJson(checked);
          setPreview(undefined);
        }}
      />
      {hiddenCharacters(value.value).length === 0 ? undefined : (
        <p class="note">
          The value has hidden characters: <CodeText text={value.value} />
        </p>
      )}
      {error === undefined ? undefined : <FaultNote error={error} />}
      {preview === undefined ? undefined : <PreviewedChange preview={preview} isHidden={isHidden} />}
    </form>
  );
}

function PreviewedChange({
  preview: { diff, isNew },
  isHidden,
}: {
  readonly preview: Preview;
  readonly isHidden: boolean;
}) {
  return (
    <>
      {isNew === true ? (
        <Callout tone="ask" icon="warn" role="alert">
          <b>The file has changed, and nothing was written.</b>
          <span class="note">This is your change, applied to the new content.</span>
        </Callout>
      ) : undefined}
      {diff === '' ? (
        <p class="note">The value is the same. Nothing would be written.</p>
      ) : (
        <Diff text={diff} label="What would be written" />
      )}
      <p class="note">
        {isHidden
          ? 'Nothing is written yet. Values of this file are hidden; only this one would change.'
          : 'Nothing is written yet. Bytes outside of this value stay as they are.'}
      </p>
    </>
  );
}

interface ValueFieldProps {
  readonly id: string;
  readonly value: string;
  readonly placeholder: string;
  readonly onInput: (text: string) => void;
}

/** A value with line ends needs several lines. */
function ValueField({ id, value, placeholder, onInput }: ValueFieldProps) {
  const shared = {
    id,
    value,
    placeholder,
    class: 'mono grow',
    spellcheck: false,
    autocomplete: 'off',
    onInput: (event: { currentTarget: { value: string } }) => onInput(event.currentTarget.value),
  };
  return value.includes('\n') ? <textarea rows={4} {...shared} /> : <input type="text" {...shared} />;
}
