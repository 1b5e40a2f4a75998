import { Fault } from '../../base/fault.ts';
import { KEY_NAMES } from './key-table.ts';

/** A key that no terminal has. Text that is not a key has a parameter of its own. */
export function unknownKey(name: string): Fault {
  return new Fault('PARAM_INVALID', `process: unknown key ${JSON.stringify(name.slice(0, 80))}; nothing was sent`, {
    hint: `a key is one character or ${KEY_NAMES.join(', ')}, with C-, M- or S- in front, or ^c; send text with literal`,
    details: { parameter: 'keys' },
  });
}

export function notByte(token: string): Fault {
  return new Fault(
    'PARAM_INVALID',
    `process: hex ${JSON.stringify(token.slice(0, 80))} is not a byte; nothing was sent`,
    {
      hint: 'a byte is two hexadecimal digits, as in ["1b", "5b"]',
      details: { parameter: 'hex' },
    },
  );
}
