import { useState } from 'preact/hooks';
import { OPERATOR_CLIENT, UNKNOWN_CLIENT } from '../../../wire/client-name.ts';
import { Button } from '../../components/button.tsx';
import { Callout, FaultNote } from '../../components/callout.tsx';
import { Chip } from '../../components/chip.tsx';
import { Diff } from '../../components/diff.tsx';
import { Facts } from '../../components/facts.tsx';
import { CodeText, HostileText } from '../../components/hostile-text.tsx';
import { serverNow } from '../../state/clock.ts';
import { writeBlocked } from '../../state/link.ts';
import { useLoaded } from '../../state/loaded.ts';
import { ageText, clockText } from '../../text/times.ts';
import { filesPath } from './address.ts';
import { diffDetails, type RecordedChange } from './answers.ts';
import { changes } from './changes-state.ts';
import { callTool } from './operator-tool.ts';
import { ReverseDialog, type ReverseAction } from './reverse-dialog.tsx';
import { aboutText, authorText, changeLabel, effectText, filesText, pathText } from './wording.ts';

/** One change: who, when, which files, and what it did to them. */
export function ChangeDetail({ id }: { readonly id: string }) {
  const { value, error } = useLoaded(
    id,
    async (signal) => (await callTool('changes', { action: 'diff', id }, diffDetails, signal)).details,
    changes.value,
  );
  const change = changes.value?.find((one) => one.id === id) ?? value?.change;
  return (
    // biome-ignore lint/a11y/useSemanticElements: a section inside of main is not a landmark
    <div class="detail" role="region" aria-label={`Change ${change?.id ?? ''}`}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <div class="detail-body" tabIndex={0}>
        {change === undefined ? undefined : <ChangeHead change={change} />}
        {error === undefined ? undefined : <FaultNote error={error} />}
        {change === undefined ? undefined : (
          <section>
            <h3>{change.files.length === 1 ? 'File' : `${change.files.length} files`}</h3>
            <ul class="changed-files">
              {change.files.map((file) => (
                <li key={file.path}>
                  <a href={filesPath(file.movedTo ?? file.path)}>
                    <CodeText text={pathText(file)} />
                  </a>{' '}
                  <span class="note">{effectText(file)}</span>
                </li>
              ))}
            </ul>
          </section>
        )}
        {value === undefined || value.diff === '' ? undefined : (
          <div class="card">
            <Diff text={value.diff} label="What it changed" />
          </div>
        )}
      </div>
    </div>
  );
}

function ChangeHead({ change }: { readonly change: RecordedChange }) {
  const { tone, icon, text } = changeLabel(change);
  const time = Date.parse(change.time);
  const about = aboutText(change);
  return (
    <>
      <div class="detail-top">
        <div>
          <h2>
            <HostileText text={`${authorText(change)} changed ${filesText(change)}`} />
          </h2>
          <p class="note">
            {ageText(serverNow() - time)} ago · <CodeText text={change.id} />
          </p>
        </div>
        <Reversal change={change} />
      </div>
      <Facts
        rows={[
          [
            'State',
            <Chip key="state" tone={tone} icon={icon}>
              {text}
            </Chip>,
          ],
          ['With', <CodeText key="tool" text={change.tool} />],
          ['Agent', <HostileText key="agent" text={change.agent} />],
          // The heading says "operator" for the client `you`, which is not the person who reads this.
          ...(change.client === OPERATOR_CLIENT
            ? []
            : ([['Client', <HostileText key="client" text={change.client ?? UNKNOWN_CLIENT} />]] as const)),
          ['Time', clockText(time, serverNow())],
          ...(about === undefined ? [] : ([['About', <HostileText key="about" text={about} />]] as const)),
        ]}
      />
      {change.notKept === undefined ? undefined : (
        <Callout tone="plain" icon="off">
          <b>It cannot be undone.</b>
          <span class="note">
            <HostileText text={change.notKept} />
          </span>
        </Callout>
      )}
    </>
  );
}

function Reversal({ change }: { readonly change: RecordedChange }) {
  const [open, setOpen] = useState<ReverseAction | undefined>(undefined);
  const action = change.state === 'undone' ? 'redo' : 'undo';
  const blocked = change.state === 'not-kept' ? 'The record has no old content of this change.' : writeBlocked.value;
  return (
    <>
      <Button icon={action === 'undo' ? 'undo' : 'next'} blocked={blocked} onPress={() => setOpen(action)}>
        {action === 'undo' ? 'Undo…' : 'Redo…'}
      </Button>
      {open === undefined ? undefined : (
        <ReverseDialog action={open} change={change} onClose={() => setOpen(undefined)} />
      )}
    </>
  );
}
