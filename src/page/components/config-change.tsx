import { Callout } from './callout.tsx';
import { Diff } from './diff.tsx';
import { CodeText, HostileText } from './hostile-text.tsx';

interface ConfigChangeProps {
  /** The address of the setting in its file. */
  readonly ocPath: string;
  readonly diff: string;
  readonly changed: boolean;
  readonly warnings: readonly string[];
}

/** What a change of the configuration would write. */
export function ConfigChange({ ocPath, diff, changed, warnings }: ConfigChangeProps) {
  return (
    <>
      <p class="note">
        This writes <CodeText text={ocPath} />
      </p>
      {changed ? (
        <Diff label="Change of the configuration" text={diff} />
      ) : (
        <p class="note">No change: the file already has this value.</p>
      )}
      <Warnings warnings={warnings} />
    </>
  );
}

export function Warnings({ warnings }: Pick<ConfigChangeProps, 'warnings'>) {
  return warnings.map((warning) => (
    <Callout key={warning} tone="ask" icon="warn">
      <HostileText text={warning} />
    </Callout>
  ));
}
