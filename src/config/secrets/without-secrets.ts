/** Settings and rules for a screen: no secrets, by the rules of the audit log. */
import { maskSecrets } from '../../text/secrets/mask.ts';
import { isSecretName } from '../../text/secrets/secret-names.ts';
import { MASK } from '../../text/secrets/spans.ts';
import { isObject } from '../../wire/schema.ts';

/** Lists of arguments: the name of a secret and its value may be two of them. */
const ARGUMENT_LISTS = ['argv', 'args'];
/** Variables of commands: any of them may be a secret, whatever its name is. */
const VARIABLES = 'env';

/** `path` has the names on the way to the value, such as the parts of a setting; the last one is its own. */
export function withoutSecrets(value: unknown, path: readonly string[]): unknown {
  const name = path.at(-1) ?? '';
  if (typeof value === 'string')
    return path.at(-2) === VARIABLES || isSecretName(name) ? MASK : maskSecrets(value).text;
  if (Array.isArray(value) && ARGUMENT_LISTS.includes(name) && maskSecrets(value.join(' ')).masked) return [MASK];
  if (Array.isArray(value)) return value.map((entry) => withoutSecrets(entry, path));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([member, inner]) => [member, withoutSecrets(inner, [...path, member])]),
  );
}

/** The names of all variables in a document. */
export function* variablesIn(value: unknown, name = ''): Iterable<string> {
  if (typeof value !== 'object' || value === null) return;
  if (name === VARIABLES && isObject(value)) yield* Object.keys(value);
  for (const [member, inner] of Object.entries(value)) yield* variablesIn(inner, member);
}
