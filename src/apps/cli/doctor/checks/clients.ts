/** The clients that have Pincer in their settings: whether what their configuration starts is there. */
import { existsSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import { NO_CLIENT } from '../../no-client.ts';
import { binaryAt, createLookup } from '../../../../hosts/process/programs/which.ts';
import { type Check, type Finding, type DoctorContext, ok, skip } from '../check.ts';

export const clients: Check = {
  id: 'clients',
  async run(patient) {
    const [{ surveyClients }, { ownToolsOf }] = await Promise.all([
      import('../../../init/survey.ts'),
      import('../../../hook/own-tools.ts'),
    ]);
    const found = await surveyClients({ folder: patient.folder, home: patient.home, env: patient.env });
    const findings = found.flatMap(({ name, title, files }) =>
      files.flatMap(({ entry, path, problem, inactive }): readonly Finding[] => {
        if (problem !== undefined)
          return [
            { status: 'warn', message: `${title}: ${path} cannot be understood: ${problem}`, fix: `correct ${path}` },
          ];
        if (inactive !== undefined)
          return [{ status: 'warn', message: `${title}: ${inactive.why}`, fix: inactive.fix }];
        return entry === undefined ? [] : [entryFinding(entry, { title, path, name }, patient)];
      }),
    );
    const ownTools = await ownToolsOf(found, patient.folder);
    findings.push(...ownTools.flatMap(({ hasHook, text }) => (hasHook ? ok(text) : skip(text))));
    return findings.length === 0 ? skip(NO_CLIENT) : findings;
  },
};

function entryFinding(
  entry: unknown,
  { title, path, name }: { readonly title: string; readonly path: string; readonly name: string },
  { env, folder }: DoctorContext,
): Finding {
  const words = startedBy(entry);
  const missing = words === undefined ? undefined : missingOf(words, env['PATH'] ?? '', folder);
  if (missing === undefined) return { status: 'ok', message: `${title} reaches pincer by ${path}` };
  return {
    status: 'fail',
    message: `${title} starts ${missing}, which is not there (${path})`,
    fix: `pincer init ${name} writes the entry anew`,
  };
}

/** The words of the command line that an entry starts; undefined for one with an address. */
export function startedBy(entry: unknown): readonly string[] | undefined {
  const { command, args } = (entry ?? {}) as { readonly command?: unknown; readonly args?: unknown };
  if (typeof command === 'string') return wordsOf(command, texts(args));
  const words = texts(command);
  return words.length === 0 ? undefined : words;
}

function texts(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((one): one is string => typeof one === 'string') : [];
}

/** A hook has its whole command line in one text, quoted for a shell. */
function wordsOf(command: string, args: readonly string[]): readonly string[] {
  if (args.length > 0 || !command.includes(' ')) return [command, ...args];
  return [...command.matchAll(/'([^']*)'|(\S+)/gu)].map(([, quoted, plain]) => quoted ?? plain ?? '');
}

/** The program, or the file that Node is given. */
function missingOf([program = '', file]: readonly string[], path: string, folder: string): string | undefined {
  const found = isAbsolute(program) ? binaryAt(program) : createLookup({ path, cwd: folder }).find(program);
  if (found === undefined) return program;
  return file !== undefined && isAbsolute(file) && !existsSync(file) ? file : undefined;
}
