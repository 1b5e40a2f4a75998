/**
 * An attacker process exchanges a folder, or a file, with a link to outside while a victim works on it.
 * `npm run test:race` makes 100,000 tries of each; here they are few, and a victim without a boundary must still leak.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { edit, move, patch, read, update, write } from '../escapes/case.ts';
import { file, type Ground, link, makeGround, SECRET } from '../escapes/ground.ts';
import { differences, treeOf } from '../escapes/tree.ts';
import { runs, TIER } from '../support/budget.ts';
import { startAttacker } from './attacker.ts';
import { agent, confinedReader, naiveReader, naiveWriter, type Victim } from './victims.ts';

const TRIES = runs(1500, 100_000);
const PATIENCE = 60_000 + TRIES * 20;

interface Attack {
  readonly name: string;
  readonly exchange: readonly [string, string];
  readonly target: string;
}

const PARENT: Attack = { name: 'its folder', exchange: ['d', 'd.link'], target: '{OUT}' };
const LEAF: Attack = { name: 'the file itself', exchange: ['d/f.txt', 'd/f.link'], target: '{OUT}/f.txt' };
const GRANDPARENT: Attack = { name: 'a folder above', exchange: ['g', 'g.link'], target: '{OUT}' };

function groundFor({ exchange, target }: Attack): Ground {
  const ground = makeGround();
  onTestFinished(() => ground.remove());
  file('g/dir/deep.txt')(ground);
  link(exchange[1], target)(ground);
  return ground;
}

/** How often each outcome was seen, with secrets and changes outside as outcomes of their own. */
type Tally = Map<string, number>;

async function attacked(
  ground: Ground,
  attack: Attack,
  victim: Victim,
  until: (turn: number, tally: Tally) => boolean,
): Promise<Tally> {
  const tally: Tally = new Map();
  const count = (outcome: string): void => void tally.set(outcome, (tally.get(outcome) ?? 0) + 1);
  const outside = () => treeOf(ground.top, [ground.ws, ground.state]);
  const before = outside();
  const [a, b] = attack.exchange.map((name) => join(ground.ws, name));
  const attacker = await startAttacker(a!, b!);
  try {
    for (let turn = 0; !until(turn, tally); turn++) {
      const said = await victim(turn);
      if (said.includes(SECRET)) count('LEAK');
      else count(/^[A-Z_]+$/u.test(said) ? said : said.startsWith('INSIDE') ? 'inside' : 'done');
      if (turn % 64 === 0 && differences(before, outside()).length > 0) {
        count('CHANGED OUTSIDE');
        restore(ground);
      }
    }
  } finally {
    await attacker.stop();
  }
  if (differences(before, outside()).length > 0) count('CHANGED OUTSIDE');
  return tally;
}

function restore(ground: Ground): void {
  writeFileSync(join(ground.out, 'f.txt'), `${SECRET}\n`);
}

const leaks = (tally: Tally): number => (tally.get('LEAK') ?? 0) + (tally.get('CHANGED OUTSIDE') ?? 0);
const tries = (tally: Tally): number => [...tally.values()].reduce((sum, times) => sum + times, 0);

/** Until it has leaked, but not forever. */
function untilItLeaks(): (turn: number, tally: Tally) => boolean {
  const deadline = Date.now() + 30_000;
  return (turn, tally) =>
    (leaks(tally) > 0 && turn >= Math.min(TRIES, 2000)) || (turn > TRIES && Date.now() > deadline);
}

/** So many tries, and on until each of these was seen: how soon the two processes meet, the scheduler decides. */
function untilSeen(...outcomes: readonly string[]): (turn: number, tally: Tally) => boolean {
  const deadline = Date.now() + 30_000;
  return (turn, tally) => turn >= TRIES && (outcomes.every((outcome) => tally.has(outcome)) || Date.now() > deadline);
}

function report(what: string, tally: Tally): void {
  if (TIER === 'deep')
    console.log(`${what}: ${leaks(tally)} escapes in ${tries(tally)} tries ${JSON.stringify([...tally])}`);
}

describe('the attack works against a victim that checks first and opens afterwards', () => {
  it.each([PARENT, LEAF])('reads the secret when $name is swapped', { timeout: PATIENCE }, async (attack) => {
    const ground = groundFor(attack);
    const tally = await attacked(ground, attack, naiveReader(ground, 'd/f.txt'), untilItLeaks());
    report(`naive reader, ${attack.name}`, tally);
    expect(leaks(tally)).toBeGreaterThan(0);
  });

  it.each([PARENT, LEAF])('writes outside when $name is swapped', { timeout: PATIENCE }, async (attack) => {
    const ground = groundFor(attack);
    const tally = await attacked(ground, attack, naiveWriter(ground, 'd/f.txt'), untilItLeaks());
    report(`naive writer, ${attack.name}`, tally);
    expect(leaks(tally)).toBeGreaterThan(0);
  });
});

describe('the boundary', () => {
  it.each([
    [PARENT, 'd/f.txt'],
    [LEAF, 'd/f.txt'],
    [GRANDPARENT, 'g/dir/deep.txt'],
  ])('is not left by reads while $name is swapped', { timeout: PATIENCE }, async (attack, name) => {
    const ground = groundFor(attack);
    const seen = ['inside', 'FS_OUTSIDE_WORKSPACE'];
    const tally = await attacked(ground, attack, confinedReader(ground, name), untilSeen(...seen));
    report(`confined reader, ${attack.name}`, tally);
    expect(leaks(tally)).toBe(0);
    expect([...tally.keys()]).toEqual(expect.arrayContaining(seen));
  });

  const work = [
    read('d/f.txt'),
    write('d/f.txt', 'INSIDE\n'),
    write('d/new/deep.txt', 'INSIDE\n'),
    edit('d/f.txt', 'INSIDE', 'INSIDE again'),
    update('d/f.txt', 'INSIDE again'),
    patch('*** Delete File: d/new/deep.txt'),
    move('d/f.txt', 'd/g.txt'),
    move('d/g.txt', 'd/f.txt'),
    patch('*** Add File: d/added.txt', '+INSIDE'),
    patch('*** Delete File: d/added.txt'),
  ];

  it.each([PARENT, LEAF])(
    'in the work of an agent while $name is exchanged',
    { timeout: PATIENCE * 4 },
    async (attack) => {
      const ground = groundFor(attack);
      const seen = ['done', 'FS_OUTSIDE_WORKSPACE'];
      const tally = await attacked(ground, attack, agent(ground, work), untilSeen(...seen));
      report(`tools, ${attack.name}`, tally);
      expect(leaks(tally)).toBe(0);
      expect([...tally.keys()]).toEqual(expect.arrayContaining(seen));
      expect([...tally.keys()].filter((outcome) => outcome.startsWith('INTERNAL'))).toEqual([]);
    },
  );
});
