/** Files whose names a shell answers itself: arguments that only the built-in understands are never meant for the file. */
import type { Finding } from './finding.ts';

const SHADOWED = new Set('printf test [ kill pwd true false'.split(' '));

/** Whether the arguments make a variable of a shell, or code in a subscript, of a plain program. */
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
        reason: `${args[at]} means something only to the ${name} of a shell, where it can run code`,
        hint: 'leave it out',
        word: at + 1,
      };
  }
  return undefined;
}
