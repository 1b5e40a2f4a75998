/** Choices of a caller's shell (nvm, a virtual environment): used where nothing is judged, otherwise reported. */
import type { ExecContext } from '../../wire/exec.ts';
import type { Judgement } from '../../wire/policy.ts';
import { createLookup } from '../process/programs/which.ts';

const OWN = 'VIRTUAL_ENV';

export function isCallersVariable(name: string): boolean {
  return name === OWN;
}

/** The variables that a command inherits from the caller only where nothing is judged. */
export function callersVariables({ environment }: Pick<ExecContext, 'environment'>): Readonly<Record<string, string>> {
  const value = environment[OWN];
  return value === undefined || value === '' ? {} : { [OWN]: value };
}

/** Warns about programs of a judged command that the caller's own PATH would have found elsewhere. */
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
    return [`${word} runs ${binary.path}, not ${own.path} from your PATH, because the command was judged`];
  });
  return [...new Set(warnings)];
}
