import { describe, expect, it } from 'vitest';
import { ask } from './machine.ts';
import { FLAGS } from './tables/flags.ts';
import { INTERPRETERS } from './tables/interpreters.ts';
import { PLAIN } from './tables/plain.ts';
import { SHELLS } from './tables/shells.ts';
import { WRAPPERS } from './tables/wrappers.ts';

/** Each program is allowlisted by its path, and the command still may not run by itself. */
const NEVER_BY_ITSELF = { wrapper: WRAPPERS, shell: SHELLS, interpreter: INTERPRETERS, flags: FLAGS };

const ALLOWLISTED =
  'env nice nohup timeout stdbuf python3 node perl ruby php lua awk sed gdb find rg tar sort uniq xxd shuf split tree less date file git npm make docker kubectl curl wget rsync ssh jq cat ls cp mkdir test [ printf echo cut head tail wc diff du df ps uname whoami basename grep man gcc dpkg openssl stat chmod sleep seq id gzip zip unzip ip journalctl systemctl kill';

describe.each(Object.entries(NEVER_BY_ITSELF))('an allowlisted program of the family %s', (_, cases) => {
  it.each(cases)('does not run by itself: %s', (row) => {
    const at = row.indexOf(': ');
    const { verdict, reason } = ask(row.slice(at + 2), [row.slice(0, at), 'echo']);
    expect({ verdict, explained: reason !== '' }).toEqual({
      verdict: expect.stringMatching(/^(?:ask|deny)$/),
      explained: true,
    });
  });
});

describe('an allowlisted program', () => {
  it.each(PLAIN)('runs without asking: %s', (command) => {
    const { verdict, reason } = ask(command, ALLOWLISTED.split(' '));
    expect({ verdict, reason }).toEqual({ verdict: 'allow', reason: expect.any(String) });
  });
});
