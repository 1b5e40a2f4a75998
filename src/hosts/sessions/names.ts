import { randomInt } from 'node:crypto';
import { plainText } from './plain-text.ts';
import { FIRST_WORDS, SECOND_WORDS } from './words.ts';

const TRIES = 64;
const LONGEST_NAME = 48;

/** Two words that name no session yet; a number follows when nearly all pairs are taken. */
export function freshId(taken: (id: string) => boolean): string {
  for (let number = 1; ; number++) {
    for (let attempt = 0; attempt < TRIES; attempt++) {
      const pair = `${FIRST_WORDS[randomInt(FIRST_WORDS.length)]}-${SECOND_WORDS[randomInt(SECOND_WORDS.length)]}`;
      const id = number === 1 ? pair : `${pair}-${number}`;
      if (!taken(id)) return id;
    }
  }
}

/** The verb of a command and its first operand, as a short name for lists. */
export function nameOf(command: string): string {
  const words = plainText(command.slice(0, 4096)).match(/"[^"]*"|'[^']*'|\S+/gu) ?? [];
  const bare = words.map((word) =>
    word
      .replace(/^(["'])(.*)\1$/su, '$2')
      .replaceAll(/\s+/gu, ' ')
      .trim(),
  );
  const [verb = '', ...rest] = bare.filter((word) => word !== '');
  const operand = rest.find((word) => !word.startsWith('-'));
  const name = [...(operand === undefined ? verb : `${verb} ${operand}`)];
  return name.length <= LONGEST_NAME ? name.join('') : `${name.slice(0, LONGEST_NAME - 1).join('')}…`;
}
