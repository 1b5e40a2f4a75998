/** Names of nodes that a person can type, and the faults of others. */
import { Fault } from '../../base/fault.ts';
import { hiddenCharacters, replaceHidden } from '../../base/hidden-characters.ts';
import { LONGEST_NODE_NAME } from '../../wire/nodes/node.ts';

/** A node refuses a welcome with a longer name. Some letters are blank, as U+3164: a name with one looks like another name. */
export function isNodeName(text: string): boolean {
  const isWord = /^[\p{L}\p{N}][\p{L}\p{N}._-]*$/u.test(text);
  return isWord && text.length <= LONGEST_NODE_NAME && hiddenCharacters(text).length === 0;
}

/** The start of a name, without a part of a character. */
export function shortened(name: string, longest = LONGEST_NODE_NAME): string {
  return name.slice(0, longest).replace(/[\uD800-\uDBFF]$/u, '');
}

/** The name that a machine reports, as one word that a person can type. */
export function nodeName(reported: string): string {
  const typed = replaceHidden(reported.normalize('NFC'), () => ' ')
    .replaceAll(/[^\p{L}\p{N}._-]+/gu, '-')
    .replace(/^[._-]+/u, '');
  const name = shortened(typed).replace(/-+$/u, '');
  return isNodeName(name) ? name : 'node';
}

export function invalidName(name: string): Fault {
  return new Fault('NODE_NAME_REFUSED', `${JSON.stringify(name)} is not a valid name of a node`, {
    hint: `use at most ${LONGEST_NODE_NAME} letters, digits, dots, dashes and underscores; the first one is a letter or a digit`,
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
