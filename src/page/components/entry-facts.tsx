import type { AllowlistEntry } from '../../wire/policy.ts';
import { shapeText } from '../../wire/rules/shape.ts';
import { argvText } from '../text/argv.ts';
import { Facts } from './facts.tsx';
import { CodeText } from './hostile-text.tsx';

interface EntryProps {
  readonly entry: AllowlistEntry;
}

/** What an entry of the allowlist allows. */
export function EntryFacts({ entry }: EntryProps) {
  const { pattern, cwd } = entry;
  return (
    <Facts
      rows={[
        ['Program', <CodeText key="pattern" text={pattern} />],
        ['Arguments', <EntryArguments key="arguments" entry={entry} />],
        ['In folder', cwd === undefined ? 'any' : <CodeText key="cwd" text={cwd} />],
      ]}
    />
  );
}

/** With which arguments it allows its program. */
export function EntryArguments({ entry: { argv, args, argPattern, shapes } }: EntryProps) {
  if (argv?.length === 0) return <>none</>;
  if (argv !== undefined)
    return (
      <>
        exactly <CodeText text={argvText(argv)} />
      </>
    );
  if (args !== undefined)
    return args.map((prefix) => (
      <div key={prefix}>
        beginning with <CodeText text={prefix} />
      </div>
    ));
  if (shapes !== undefined)
    return shapes.map((one) => (
      <div key={shapeText(one)}>
        in the form <CodeText text={shapeText(one)} />
      </div>
    ));
  if (argPattern === undefined) return <>any</>;
  return (
    <>
      matching <CodeText text={`/${argPattern}/`} />
    </>
  );
}
