/** Files of secrets: who has them, and what is said instead of their lines. */
import { Fault } from '../base/fault.ts';

/** `.env` with whatever is hung on it, `prod.env`, and the names that other loaders look for. */
const NAME = /^@?(?:[.#]*\.env(?:rc)?(?:[^a-z].*)?|.+\.env[~#]?|\.flaskenv[~#]?|\.dev\.vars(?:[^a-z].*)?)$/iu;
const HARMLESS = /(?:[._-](?:example|sample|template|dist)|^@?(?:example|sample|template)\.env)$/iu;

/** In every name of secrets, and cheap to look for: compiling the patterns above takes longer than a small read. */
const PERHAPS = /env|var/i;

/** Whether a file of this name holds secrets. */
export function holdsSecrets(path: string): boolean {
  const name = path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1);
  return PERHAPS.test(name) && NAME.test(name) && !HARMLESS.test(name);
}

/** Whether the lines of a file are kept from the agent, by the name it asked for or by the file's own. */
export function hidesLines(names: readonly string[], showSecrets: boolean | undefined): boolean {
  return showSecrets !== true && names.some(holdsSecrets);
}

/** A refusal without what it quotes of the file. */
export function withoutLines(error: unknown, name: string): unknown {
  if (!(error instanceof Fault)) return error;
  return new Fault(error.code, error.message, {
    hint: 'the file holds secrets, so its lines are not shown',
    details: { path: name },
  });
}

/** Refuses to show a part of a file that holds secrets. */
export function secretFile(name: string): Fault {
  return new Fault('READ_SECRET', `${name} holds secrets, so this tool does not show it`, {
    hint: 'read shows its names without the values; edit and write change it',
    details: { path: name },
  });
}
