/** The diff of a configuration file for a screen. */
import { maskSecrets } from '../../text/secrets/mask.ts';
import { isSecretName } from '../../text/secrets/secret-names.ts';
import { MASK } from '../../text/secrets/spans.ts';
import type { ConfigChange } from './change.ts';
import { loadJson5Parser } from '../load/source/json5.ts';
import { variablesIn } from '../secrets/without-secrets.ts';

/** A line around a change may have the secret of another setting. */
export async function maskedDiff({
  diff,
  before,
  after,
}: Pick<ConfigChange, 'diff' | 'before' | 'after'>): Promise<string> {
  const parse = await loadJson5Parser();
  const documents = [before, after].map((text) => (text.trim() === '' ? {} : parse(text)));
  const variables = new Set(documents.flatMap((document) => [...variablesIn(document)]));
  const isSecret = (name: string): boolean => variables.has(name) || isSecretName(name);
  return diff
    .split('\n')
    .map((line) => (/^(?:---|\+\+\+|@@) /u.test(line) ? line : maskedLine(line, isSecret)))
    .join('\n');
}

/** A comment, or a text with the name of its member. A text without its end continues on the next line. */
const PARTS = /\/\/.*|\/\*.*?(?:\*\/|$)|(?:(["']?)([\w$.-]+)\1\s*:\s*)?(?:"(?:[^"\\]|\\.)*"?|'(?:[^'\\]|\\.)*'?)/gu;

function maskedLine(line: string, isSecret: (name: string) => boolean): string {
  return line.replaceAll(PARTS, (part: string, _: string | undefined, name: string | undefined) => {
    if (name === undefined || !isSecret(name)) return maskSecrets(part).text;
    return `${part.slice(0, part.indexOf(':') + 1)} "${MASK}"`;
  });
}
