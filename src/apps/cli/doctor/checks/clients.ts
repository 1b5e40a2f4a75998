/** Clients that have pincer configured: whether the program that they start exists. */
import { existsSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import { NO_CLIENT } from '../../no-client.ts';
import { binaryAt, createLookup } from '../../../../hosts/process/programs/which.ts';
import { type Check, type Finding, type DoctorContext, ok, skip } from '../check.ts';

export const clients: Check = {
  id: 'clients',
  async run(context) {
    const [{ surveyClients }, { ownToolsOf }] = await Promise.all([
      import('../../../init/survey.ts'),
      import('../../../hook/own-tools.ts'),
    ]);
    const found = await surveyClients({ folder: context.folder, home: context.home, env: context.env });
    const findings = found.flatMap(({ name, title, files }) =>
      files.flatMap(({ entry, path, problem, inactive }): readonly Finding[] => {
        if (problem !== undefined)
          return [
            { status: 'warn', message: `${title}: ${path} cannot be parsed: ${problem}`, fix: `correct ${path}` },
          ];
        if (inactive !== undefined)
          return [{ status: 'warn', message: `${title}: ${inactive.why}`, fix: inactive.fix }];
        return entry === undefined ? [] : [entryFinding(entry, { title, path, name }, context)];
      }),
    );
    const ownTools = await ownToolsOf(found, context.folder);
    findings.push(...ownTools.flatMap(({ hasHook, text }) => (hasHook ? ok(text) : skip(text))));
    return findings.length === 0 ? skip(NO_CLIENT) : findings;
  },
};

function entryFinding(
  entry: unknown,
  { title, path, name }: { readonly title: string; readonly path: string; readonly name: string },
  { env, folder }: DoctorContext,
): Finding {
  const argv = startedBy(entry);
  const missing = argv === undefined ? undefined : missingOf(argv, env['PATH'] ?? '', folder);
  if (missing === undefined) return { status: 'ok', message: `${title} starts pincer (${path})` };
  return {
    status: 'fail',
    message: `${title} starts ${missing}, which does not exist (${path})`,
    fix: `pincer init ${name} rewrites the entry`,
  };
}

/** The command line of an entry; undefined for an entry with a URL. */
export function startedBy(entry: unknown): readonly string[] | undefined {
  const { command, args } = (entry ?? {}) as { readonly command?: unknown; readonly args?: unknown };
  if (typeof command === 'string') return splitCommand(command, strings(args));
  const argv = strings(command);
  return argv.length === 0 ? undefined : argv;
}

function strings(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((one): one is string => typeof one === 'string') : [];
}

/** A hook has its whole command line in one string, quoted for a shell. */
function splitCommand(command: string, args: readonly string[]): readonly string[] {
  if (args.length > 0 || !command.includes(' ')) return [command, ...args];
  return [...command.matchAll(/'([^']*)'|(\S+)/gu)].map(([, quoted, plain]) => quoted ?? plain ?? '');
}

/** The missing program, or the missing script of `node <script>`. */
function missingOf([program = '', file]: readonly string[], path: string, folder: string): string | undefined {
  const found = isAbsolute(program) ? binaryAt(program) : createLookup({ path, cwd: folder }).find(program);
  if (found === undefined) return program;
  return file !== undefined && isAbsolute(file) && !existsSync(file) ? file : undefined;
}
