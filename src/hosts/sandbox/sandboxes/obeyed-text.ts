/** What is said of a file that the host obeys and that work in a sandbox made or changed. */
import type { ObeyedChange } from '../../../wire/sandbox.ts';

const DONE = { new: 'was created', changed: 'was changed' } as const;

/** One sentence, without a full stop. */
export function obeyedText({ path, reader, change, quarantined }: ObeyedChange): string {
  if (change === 'not-searched')
    return `the workspace was not searched for files that the host obeys${reader === '' ? ': it has too many folders' : `: ${reader}`}`;
  const text = `${JSON.stringify(path)} ${DONE[change]}, and programs on the host obey it (${reader})`;
  return quarantined === true ? `${text}; it was taken away, and pincer changes lists it` : text;
}
