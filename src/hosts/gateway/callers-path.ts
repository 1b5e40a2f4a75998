/** What a caller's shell has chosen (nvm, a virtual environment): used where nothing is judged, shown where it is not used. */
import type { ExecContext } from '../../wire/exec.ts';
import type { Judgement } from '../../wire/policy.ts';
import { createLookup } from '../process/programs/which.ts';

const OWN = 'VIRTUAL_ENV';

/** Whether a command inherits a variable of this name only where nothing is judged. */
export function isCallersOwn(name: string): boolean {
  return name === OWN;
}

/** The variables of the caller that a command inherits beside the usual ones where nothing is judged. */
export function callersOwn({ environment }: Pick<ExecContext, 'environment'>): Readonly<Record<string, string>> {
  const value = environment[OWN];
  return value === undefined || value === '' ? {} : { [OWN]: value };
}

/** Says which programs of a judged command the caller's own PATH would have found elsewhere. */
export function pathWarnings(
  { stages }: Judgement,
  environment: ExecContext['environment'],
  cwd: string,
): readonly string[] {
  const lookup = createLookup({ path: environment['PATH'] ?? '', cwd });
  const warnings = stages.flatMap(({ argv, binary }) => {
    const word = argv[0] ?? '';
    const own = word === '' || word.includes('/') ? undefined : lookup.find(word);
    if (own === undefined || binary === undefined || own.real === binary.real) return [];
    return [`${word} is ${binary.path}; ${own.path} of your PATH is not used, because the command was judged`];
  });
  return [...new Set(warnings)];
}
