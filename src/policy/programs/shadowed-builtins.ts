/** Programs that are also shell builtins: arguments that only the builtin understands are never meant for the program. */
import type { Finding } from './finding.ts';
import { forAgent } from '../hint.ts';

const SHADOWED = new Set('printf test [ kill pwd true false'.split(' '));

/** Whether a shell would read the arguments as a variable name, or as code in an array index. */
export function shadowFinding(names: ReadonlySet<string>, args: readonly string[]): Finding | undefined {
  for (const name of names) {
    if (!SHADOWED.has(name)) continue;
    const at = args.findIndex(
      (arg, i) =>
        /\[[^\]]*(?:\$\(|`|\$\{)/.test(arg) ||
        (name === 'printf' && i === 0 && arg.startsWith('-v')) ||
        ((name === 'test' || name === '[') && (arg === '-v' || arg === '-R')),
    );
    if (at >= 0)
      return {
        verdict: 'deny',
        code: 'builtin',
        reason: `${args[at]} has a meaning only for the shell builtin ${name}, where it can run code`,
        ...forAgent('leave it out'),
        word: at + 1,
      };
  }
  return undefined;
}
