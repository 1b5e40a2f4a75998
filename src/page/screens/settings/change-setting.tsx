import { useState } from 'preact/hooks';
import type { Settings, WrittenSetting } from '../../../wire/methods/page-methods.ts';
import { FaultNote } from '../../components/callout.tsx';
import { ConfigChange } from '../../components/config-change.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { TextField } from '../../components/fields.tsx';
import { CallError, type PageParams } from '../../socket/calls.ts';
import { writeBlocked } from '../../state/link.ts';
import { call } from '../../state/server.ts';
import { toast } from '../../state/toasts.ts';
import { jsonText, valueIn } from '../../text/json-value.ts';

interface ChangeSettingProps {
  /** Undefined: a setting that has no value yet. */
  readonly source: Settings['sources'][number] | undefined;
  /** Of the user's file. */
  readonly revision: string;
  /** It is written; the warnings are about the configuration with it. */
  readonly onDone: (warnings: readonly string[]) => void;
  /** The file was changed since `revision`, so the settings must be loaded again. */
  readonly onStale: () => void;
  readonly onClose: () => void;
}

type Change = Omit<PageParams<'config.set'>, 'dryRun'>;

interface Preview {
  readonly change: Change;
  readonly written: WrittenSetting;
}

/** Shows the change as a diff first, and writes exactly what it shows, only where the file is still the same. */
export function ChangeSetting({ source, revision, onDone, onStale, onClose }: ChangeSettingProps) {
  const [path, setPath] = useState(source?.path ?? '');
  const [text, setText] = useState(source === undefined ? '' : jsonText(source.value));
  const [preview, setPreview] = useState<Preview | undefined>(undefined);
  const [error, setError] = useState<unknown>(undefined);
  const wanted: Change = { path: path.trim(), revision, ...(text.trim() === '' ? {} : { value: valueIn(text) }) };
  // A preview that arrives after another letter was typed is not one of what the fields say.
  const shown = preview !== undefined && isSame(preview.change, wanted) ? preview : undefined;
  const look = (): void => {
    setError(undefined);
    call('config.set', { ...wanted, dryRun: true }).then((written) => setPreview({ change: wanted, written }), refused);
  };
  const write = ({ change }: Preview): void => {
    setError(undefined);
    call('config.set', { ...change, dryRun: false }).then(({ warnings }) => {
      toast(`Saved: ${change.path}`);
      onDone(warnings);
    }, refused);
  };
  /** What the person typed stays; the next preview shows it against the file as it is now. */
  const refused = (fault: unknown): void => {
    setError(fault);
    if (!(fault instanceof CallError) || fault.code !== 'CONFIG_CHANGED') return;
    setPreview(undefined);
    onStale();
  };
  const missing = path.trim() === '' ? 'Name the setting.' : undefined;
  return (
    <Dialog
      title={source === undefined ? 'Set a value' : 'Change setting'}
      onClose={onClose}
      action={{
        kind: 'main',
        text: shown === undefined ? 'Preview' : 'Write',
        blocked: writeBlocked.value ?? missing,
        onPress: () => (shown === undefined ? look() : write(shown)),
      }}
    >
      <TextField
        label="Setting"
        placeholder="tools.exec.ask"
        value={path}
        autofocus={source === undefined}
        onInput={setPath}
      />
      <TextField
        label="Value"
        note="As JSON; a single word needs no quotes. Empty removes the setting from your file."
        value={text}
        autofocus={source !== undefined}
        onInput={setText}
      />
      {shown === undefined ? undefined : <ConfigChange {...shown.written} />}
      {error === undefined ? undefined : <FaultNote error={error} />}
    </Dialog>
  );
}

function isSame(one: Change, other: Change): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
