import { useState } from 'preact/hooks';
import type { Settings } from '../../../wire/methods/page-methods.ts';
import { Button } from '../../components/button.tsx';
import { FaultNote } from '../../components/callout.tsx';
import { Warnings } from '../../components/config-change.tsx';
import { SearchField } from '../../components/fields.tsx';
import { CodeText, HostileText } from '../../components/hostile-text.tsx';
import { type Column, Table } from '../../components/table/table.tsx';
import { writeBlocked } from '../../state/link.ts';
import { useLoaded } from '../../state/loaded.ts';
import { call } from '../../state/server.ts';
import { ChangeSetting } from './change-setting.tsx';

type Source = Settings['sources'][number];

/** Effective configuration, merged from all layers, with the place of each value. */
export function EffectiveSettings() {
  const { value: settings, error, reload } = useLoaded('settings', (signal) => call('config.get', {}, signal));
  const [wanted, setWanted] = useState('');
  /** Of the last change. */
  const [warnings, setWarnings] = useState<readonly string[]>([]);
  const [open, setOpen] = useState<Source | 'new' | undefined>(undefined);
  const words = wanted.toLowerCase().split(/\s+/u).filter(Boolean);
  const rows = settings?.sources.filter(({ path }) => words.every((word) => path.toLowerCase().includes(word)));
  const user = settings?.files.find(({ layer }) => layer === 'user');
  return (
    <section class="card">
      <header>
        <h2>Configuration</h2>
        {user === undefined ? undefined : <CodeText text={user.path} />}
        <span class="grow" />
        <Button blocked={writeBlocked.value} onPress={() => setOpen('new')}>
          Set a value…
        </Button>
      </header>
      <div class="card-body">
        {error === undefined ? undefined : <FaultNote error={error} />}
        <Warnings warnings={[...new Set([...(settings?.warnings ?? []), ...warnings])]} />
        <SearchField label="Search settings" placeholder="Search settings" value={wanted} onInput={setWanted} />
      </div>
      {rows === undefined ? undefined : (
        <Table label="Settings" columns={columnsOf(setOpen)} rows={rows} keyOf={({ path }) => path} />
      )}
      {user !== undefined && open !== undefined ? (
        <ChangeSetting
          source={open === 'new' ? undefined : open}
          revision={user.revision}
          onDone={(found) => {
            setOpen(undefined);
            setWarnings(found);
            reload();
          }}
          onStale={reload}
          onClose={() => setOpen(undefined)}
        />
      ) : undefined}
    </section>
  );
}

function columnsOf(change: (source: Source) => void): readonly Column<Source>[] {
  return [
    { name: 'Setting', cell: ({ path }) => <CodeText text={path} /> },
    { name: 'Value', cell: ({ value }) => <CodeText text={JSON.stringify(value)} /> },
    {
      name: 'Set in',
      cell: ({ layer, ocPath, variable, line }) => (
        <>
          <HostileText text={layer} />
          {ocPath === undefined ? undefined : (
            <div class="note">
              <CodeText text={ocPath} />
              {line === undefined ? undefined : `, line ${line}`}
            </div>
          )}
          {variable === undefined ? undefined : (
            <div class="note">
              <CodeText text={variable} />
            </div>
          )}
        </>
      ),
    },
    {
      name: 'Change',
      narrow: true,
      cell: (source) => (
        <Button kind="quiet" about={source.path} blocked={writeBlocked.value} onPress={() => change(source)}>
          Change…
        </Button>
      ),
    },
  ];
}
