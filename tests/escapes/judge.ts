/** Runs one case and says what became of it. */
import { type Dirent, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { startAttacker } from '../race/attacker.ts';
import { timeoutFor } from '../support/budget.ts';
import type { EscapeCase, Leaf } from './case.ts';
import { CANARY, CannotPlant, fill, type Ground, makeGround, SECRET } from './ground.ts';
import { type Answer, type Batch, callBatch, codeOf, textOf } from './program.ts';
import { differences, fileWith, linkTo, type Tree, treeOf } from './tree.ts';

export interface Verdict {
  readonly verdict: 'ok' | 'ESCAPE' | 'HANG' | 'NO ANSWER' | 'CHANGED' | 'TOO LENIENT' | 'TOO STRICT' | 'UNCLEAR';
  readonly because?: string;
}

const OK: Verdict = { verdict: 'ok' };

/** A program that has not answered by then hangs; several run at once, beside attackers that take all they can get. */
const HANGS_MS = 40_000;
const RACE_HANGS_MS = timeoutFor(100_000);
/** For a test of one case: long enough that a program that hangs is told as such. */
export const JUDGE_MS = timeoutFor(130_000);

/** Judges a program by a case, on a fresh ground; undefined where only root could lay it and this is not root. */
export async function judge(entry: EscapeCase, program?: readonly string[]): Promise<Verdict | undefined> {
  const ground = makeGround();
  try {
    for (const plant of entry.plants) plant(ground);
    return await judgeOn(ground, entry, program);
  } catch (error) {
    if (error instanceof CannotPlant && entry.needsRoot) return undefined;
    throw error;
  } finally {
    ground.remove();
  }
}

async function judgeOn(ground: Ground, entry: EscapeCase, program?: readonly string[]): Promise<Verdict> {
  const call = fill(entry.call, ground);
  const workspace = fill(entry.workspace ?? '{WS}', ground);
  const options = { ground, workspace, timeoutMs: entry.timeoutMs ?? HANGS_MS, ...(program && { program }) };
  const outside = (): Tree => treeOf(ground.top, [ground.ws, ground.state, join(ground.top, 'ws.link')]);
  const before = { outside: outside(), inside: treeOf(ground.ws) };
  if (entry.race !== undefined) {
    const { exchange, tries } = entry.race;
    const [a, b] = exchange.map((name) => join(ground.ws, name));
    const attacker = await startAttacker(a!, b!);
    const batch = await callBatch(new Array(tries).fill(call), { ...options, timeoutMs: RACE_HANGS_MS });
    await attacker.stop();
    const escape = escapeOf(ground, batch, before.outside, outside());
    if (escape !== undefined) return escape;
    return batch.answers.length === tries ? OK : noAnswer(batch);
  }
  const batch = await callBatch([call], options);
  const escape = escapeOf(ground, batch, before.outside, outside());
  if (escape !== undefined) return escape;
  const [answer] = batch.answers;
  if (answer === undefined || batch.answers.length !== 1) return noAnswer(batch);
  return entry.expect && 'refused' in entry.expect
    ? judgeRefusal(answer, entry.expect.code, before.inside, treeOf(ground.ws))
    : judgeSuccess(answer, entry.expect, before.inside, treeOf(ground.ws));
}

function noAnswer(batch: Batch): Verdict {
  const because = `${batch.answers.length} answers; ${batch.stderr.slice(0, 500)}`;
  return { verdict: batch.timedOut ? 'HANG' : 'NO ANSWER', because };
}

/** A secret in the answers or in what is kept for undo, or anything different outside. */
function escapeOf(ground: Ground, batch: Batch, before: Tree, after: Tree): Verdict | undefined {
  const changed = differences(before, after);
  if (changed.length > 0) return { verdict: 'ESCAPE', because: changed.join('\n') };
  const secret = [SECRET, CANARY, 'root:x:0:'].find((text) => batch.printed.includes(text));
  if (secret !== undefined) return { verdict: 'ESCAPE', because: batch.printed.slice(0, 500) };
  if (keeps(ground.state, SECRET)) return { verdict: 'ESCAPE', because: 'the secret was copied into the state folder' };
  return undefined;
}

function keeps(folder: string, text: string): boolean {
  let entries: readonly Dirent[];
  try {
    entries = readdirSync(folder, { withFileTypes: true, recursive: true });
  } catch {
    return false; // no state was kept at all
  }
  return entries.some((entry) => entry.isFile() && readFileSync(join(entry.parentPath, entry.name)).includes(text));
}

function judgeRefusal(answer: Answer, code: string | undefined, before: Tree, after: Tree): Verdict {
  const changed = differences(before, after);
  const said = JSON.stringify(answer).slice(0, 500);
  if (answer.isError !== true) return { verdict: 'TOO LENIENT', because: said };
  if (changed.length > 0) return { verdict: 'CHANGED', because: changed.join('\n') };
  const given = codeOf(answer);
  if (
    !/^(?:FS|PARAM|TOOL|OC|PATCH|EDIT|READ)_[A-Z_]+$/u.test(given) ||
    (answer.error ?? '') === '' ||
    textOf(answer) === ''
  )
    return { verdict: 'UNCLEAR', because: said };
  return code === undefined || given === code ? OK : { verdict: 'UNCLEAR', because: `${given} instead of ${code}` };
}

function leafInTree(leaf: Exclude<Leaf, null>): string {
  const latin1 = (content: string | Uint8Array): string => Buffer.from(content as string).toString('latin1');
  if (typeof leaf === 'string' || leaf instanceof Uint8Array) return fileWith(latin1(leaf));
  return 'link' in leaf ? linkTo(leaf.link) : fileWith(latin1(leaf.content), leaf.mode);
}

function judgeSuccess(
  answer: Answer,
  expect: Extract<EscapeCase['expect'], { allowed: true }>,
  before: Tree,
  after: Tree,
): Verdict {
  const said = JSON.stringify(answer).slice(0, 500);
  if (answer.isError === true || answer.error !== undefined) return { verdict: 'TOO STRICT', because: said };
  const wanted: Record<string, string> = { ...before };
  for (const [name, state] of Object.entries(expect.leaves)) {
    for (let at = name.indexOf('/'); at > 0; at = name.indexOf('/', at + 1)) wanted[name.slice(0, at)] ??= 'folder';
    if (state === null) delete wanted[name];
    else wanted[name] = leafInTree(state);
  }
  const changed = differences(wanted, after);
  if (changed.length > 0) return { verdict: 'CHANGED', because: changed.join('\n') };
  if (expect.says !== undefined && !textOf(answer).includes(expect.says)) return { verdict: 'UNCLEAR', because: said };
  return OK;
}
