/** Names of nodes that a person can type, and the faults of others. */
import { Fault } from '../../base/fault.ts';

export const LONGEST_NAME = 64;

export function isNodeName(text: string): boolean {
  return /^[\p{L}\p{N}][\p{L}\p{N}._-]{0,63}$/u.test(text);
}

/** The name that a machine reports, as one word that a person can type. */
export function nodeName(reported: string): string {
  const name = reported
    .normalize('NFC')
    .replaceAll(/[^\p{L}\p{N}._-]+/gu, '-')
    .replace(/^[._-]+/u, '')
    .slice(0, LONGEST_NAME)
    .replace(/-+$/u, '');
  return isNodeName(name) ? name : 'node';
}

export function invalidName(name: string): Fault {
  return new Fault('NODE_NAME_REFUSED', `${JSON.stringify(name)} is not a valid name of a node`, {
    hint: 'use at most 64 letters, digits, dots, dashes and underscores; the first one is a letter or a digit',
    details: { name },
  });
}

export function nameTaken(name: string): Fault {
  return new Fault('NODE_NAME_REFUSED', `another node has the name ${JSON.stringify(name)}`, {
    hint: 'choose another name; pincer nodes list shows the names in use',
    details: { name },
  });
}

export function looksLikeId(name: string): Fault {
  return new Fault('NODE_NAME_REFUSED', `${JSON.stringify(name)} could be mistaken for the id of a node`, {
    hint: 'choose a name that is not an id, and not the first letters of one',
    details: { name },
  });
}
