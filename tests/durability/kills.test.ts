/** Processes that die in the middle of a write, through the real command line. */
import { readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as after } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { takeLocks } from '../../src/hosts/files/locks/locks.ts';
import { patch, read, write } from '../escapes/case.ts';
import { type Ground, makeGround } from '../escapes/ground.ts';
import { callBatch } from '../escapes/program.ts';
import { runs, TIER } from '../support/budget.ts';
import { startWriter } from './writer.ts';

const KILLS = runs(10, 150);
const PATIENCE = 60_000 + KILLS * 3000;

function freshGround(): Ground {
  const ground = makeGround();
  onTestFinished(() => ground.remove());
  return ground;
}

/** A megabyte that says of itself whether it is whole. */
const megabyte = (turn: number): string => `${turn}\n`.padEnd(1 << 20, String.fromCharCode(97 + (turn % 26)));
const isWhole = (text: string): boolean => text === megabyte(Number.parseInt(text, 10));

/** What killed writers left in a folder is old enough to be swept. */
function age(folder: string, usual: readonly string[]): readonly string[] {
  const left = readdirSync(folder).filter((name) => !usual.includes(name));
  for (const name of left) utimesSync(join(folder, name), new Date(0), new Date(0));
  return left;
}

it('a file is complete whenever its writer is killed, and temporary files are removed', {
  timeout: PATIENCE,
}, async () => {
  const ground = freshGround();
  const target = join(ground.ws, 'big.txt');
  writeFileSync(target, megabyte(0));
  const fates: { readonly whole: boolean; readonly turn: number; readonly answered: number }[] = [];
  let midway = 0;
  let pace = 0;
  for (let kill = 0; kill < KILLS; kill++) {
    const writer = startWriter(ground);
    for (let turn = 1; turn <= 15; turn++) writer.send(write('big.txt', megabyte(turn)));
    // Answers spread the kills over the turns, and the pace of this machine spreads them inside of a turn.
    await writer.answered(1 + (kill % 6));
    const begin = performance.now();
    if (kill === 0) await writer.answered(2);
    if (kill === 0) pace = performance.now() - begin;
    await after(pace * ((kill * 0.37) % 1));
    const answered = writer.answers();
    await writer.kill();
    const text = readFileSync(target, 'utf8');
    fates.push({ whole: isWhole(text), turn: Number.parseInt(text, 10), answered });
    if (readdirSync(ground.ws).length > 3) midway++;
    age(ground.ws, ['in.txt', 'd', 'big.txt']);
  }
  expect(fates.filter(({ whole }) => !whole)).toEqual([]);
  // What was answered is there, and at most the turns that were sent.
  expect(fates.filter(({ turn, answered }) => turn < answered || turn > 15)).toEqual([]);
  const last = await callBatch([write('big.txt', megabyte(1000))], { ground });
  expect(last.answers).toMatchObject([{ details: { bytesWritten: 1 << 20 } }]);
  expect({ left: readdirSync(ground.ws).sort(), whole: isWhole(readFileSync(target, 'utf8')) }).toEqual({
    left: ['big.txt', 'd', 'in.txt'],
    whole: true,
  });
  if (TIER === 'deep') console.log(`${KILLS} kills: 0 torn files, ${midway} temporary files left behind and swept`);
});

const names = Array.from({ length: 60 }, (_, i) => `p${String(i).padStart(2, '0')}.txt`);

/** Updates, additions, deletions and moves over 60 files. */
function manyFiles(): {
  readonly before: Record<string, string>;
  readonly after: Record<string, string>;
  readonly lines: string[];
} {
  const before: Record<string, string> = {};
  const after: Record<string, string> = {};
  const lines: string[] = [];
  for (const [i, name] of names.entries()) {
    if (i % 4 !== 1) before[name] = `old ${name}\n`;
    if (i % 4 === 0) lines.push(`*** Update File: ${name}`, '@@', `-old ${name}`, `+new ${name}`);
    if (i % 4 === 1) lines.push(`*** Add File: ${name}`, `+new ${name}`);
    if (i % 4 === 2) lines.push(`*** Delete File: ${name}`);
    if (i % 4 === 3) lines.push(`*** Move File: ${name} -> moved-${name}`);
    if (i % 4 < 2) after[name] = `new ${name}\n`;
    if (i % 4 === 3) after[`moved-${name}`] = `old ${name}\n`;
  }
  return { before, after, lines };
}

it('a patch of 60 files is complete or absent after the next command, whenever it is killed', {
  timeout: PATIENCE,
}, async () => {
  const { before, after: wanted, lines } = manyFiles();
  const filesOf = (ws: string) => {
    const found = readdirSync(ws).filter((name) => !['in.txt', 'd'].includes(name));
    return Object.fromEntries(found.sort().map((name) => [name, readFileSync(join(ws, name), 'utf8')]));
  };
  const sorted = (files: Record<string, string>) => JSON.stringify(files, Object.keys(files).sort());
  const fates: string[] = [];
  let unwhole = 0;
  let duration = 0;
  let delay = 0;
  for (let kill = 0; kill < KILLS + 2; kill++) {
    const ground = makeGround();
    try {
      for (const [name, text] of Object.entries(before)) writeFileSync(join(ground.ws, name), text);
      const writer = startWriter(ground);
      writer.send(read('in.txt'));
      await writer.answered(1);
      // The first one is let finish, and the second one cannot: it waits for a file that somebody else writes.
      const held = kill === 1 ? takeLocks([join(ground.ws, names[0]!)], { stateDir: ground.state }) : undefined;
      const begin = performance.now();
      writer.send(patch(...lines));
      if (kill === 0) await writer.answered(2);
      else await after(kill === 1 ? duration : delay);
      if (kill === 0) duration = performance.now() - begin;
      if (kill === 0) delay = duration / 2;
      await writer.kill();
      held?.release();
      const torn = sorted(filesOf(ground.ws));
      if (torn !== sorted(before) && torn !== sorted(wanted)) unwhole++;
      age(ground.ws, ['in.txt', 'd', ...names, ...names.map((name) => `moved-${name}`)]);
      const next = await callBatch([read('in.txt'), write('next.txt')], { ground });
      expect(next.answers.map(({ isError }) => isError ?? false)).toEqual([false, false]);
      const { 'next.txt': _, ...now } = filesOf(ground.ws);
      const fate =
        sorted(now) === sorted(before) ? 'absent' : sorted(now) === sorted(wanted) ? 'whole' : `torn: ${sorted(now)}`;
      fates.push(fate);
      // Later after a patch that was absent and earlier after a whole one: most kills fall around the commit, however
      // fast the machine is.
      if (kill > 1) delay *= fate === 'absent' ? 1.2 : 0.85;
    } finally {
      ground.remove();
    }
  }
  expect(fates.filter((fate) => fate.startsWith('torn'))).toEqual([]);
  expect(fates.slice(0, 2)).toEqual(['whole', 'absent']);
  if (TIER === 'deep') console.log(`${KILLS} kills in a patch: ${unwhole} found half done and recovered`);
});
