import { randomInt } from 'node:crypto';
import { plainText } from './log/plain-text.ts';

const TRIES = 64;
const LONGEST_NAME = 48;

/** An unused id of two words; a number is added when nearly all pairs are taken. */
export function freshId(taken: (id: string) => boolean): string {
  for (let number = 1; ; number++) {
    for (let attempt = 0; attempt < TRIES; attempt++) {
      const pair = `${FIRST_WORDS[randomInt(FIRST_WORDS.length)]}-${SECOND_WORDS[randomInt(SECOND_WORDS.length)]}`;
      const id = number === 1 ? pair : `${pair}-${number}`;
      if (!taken(id)) return id;
    }
  }
}

/** A short name for lists: the program and its first operand. */
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

const words = (text: string): readonly string[] => text.trim().split(/\s+/u);

export const FIRST_WORDS = words(`
  able agile airy amber ample apt azure bold brave brief bright brisk broad calm civil clear clever cool cosy crisp
  deep deft dense dry eager early even fair fast fine firm fleet fond frank free fresh full glad gold good grand green
  happy hardy high honest humble jolly just keen kind large late lean level light lively loud loyal lucid lucky mellow
  merry mild modest neat nimble noble oaken open pale plain polite prime proud quick quiet rapid rare ready regal rich
  ripe round royal ruby rustic safe sharp shy silent silver simple sleek slim smart smooth snug sober soft solid spry
  stable steady still stout sturdy subtle sunny sure sweet swift tall tame tidy tiny top true vast vivid warm wide wise
  witty young zesty`);

export const SECOND_WORDS = words(`
  acorn alder anchor arrow aspen badger bay beacon beech birch bison brook canyon cedar cliff clover cloud cobra comet
  coral crane creek cricket crow daisy delta dingo dove dune eagle elk elm ember falcon fern ferry finch fjord flint
  forest fox gecko geyser glade gorge grove gull harbor hare hawk hazel heron hill ibis island ivy jackal jay juniper
  kelp kiwi koala lagoon lake lark laurel lemur lily lion lobster lotus lynx magpie maple marsh meadow mesa mink moose
  moss newt oak oasis ocean orca orchid osprey otter owl panda pebble pelican pine plover pond poplar puffin quail
  rabbit raven reed reef ridge river robin salmon seal sequoia shore shrew sparrow spruce stoat stone stork swan tapir
  thistle tiger toucan trail trout tulip turtle valley viper walrus willow wolf wren yak zebra`);
