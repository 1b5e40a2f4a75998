/** Programs that obey whoever types into them, and can be told to start others. */
import { isCarrier } from './programs/carriers.ts';
import { isInterpreter } from './programs/interpreters.ts';
import { baseName, plainName } from './programs/names.ts';

const OBEYING = new Set(
  'less more most man info pager top htop atop btop gdb ssh telnet screen tmux git tig watch bc gpg openssl make'.split(
    ' ',
  ),
);

/** Whether keys typed into this program can start other programs. */
export function needsTyping(real: string): boolean {
  const name = baseName(real);
  const names = new Set([name, plainName(name)]);
  return isCarrier(names) || [...names].some((one) => OBEYING.has(one) || isInterpreter(one));
}
