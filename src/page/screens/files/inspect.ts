/** What an address means: its slots, the places that it finds, or the slot at which it fails. */
import { CallError } from '../../socket/calls.ts';
import { prefixesOf, SCHEME, type SlotName, typedPrefixes } from './address.ts';
import { findDetails, type Match, resolveDetails, type Structure, validateDetails } from './answers.ts';
import { callTool } from './operator-tool.ts';

export interface Place {
  readonly path: string;
  readonly match: Match;
}

export interface AddressProblem {
  readonly message: string;
  readonly hint?: string | undefined;
  /** The slot that it is about; absent where the text has no slots. */
  readonly slot?: SlotName;
  /** The part of the text that is right; the problem is in the rest. */
  readonly valid?: string;
}

export interface Inspected {
  readonly typed: string;
  readonly structure?: Structure;
  /** As the server writes it. */
  readonly formatted?: string;
  readonly places: readonly Place[];
  readonly problem?: AddressProblem;
}

export async function inspect(typed: string, signal?: AbortSignal): Promise<Inspected> {
  const { valid, structure, formatted, message = '', hint } = await validate(typed, signal);
  if (!valid || structure === undefined || formatted === undefined) {
    return { typed, places: [], problem: { message, hint, valid: await longestValid(typed, signal) } };
  }
  const known = { typed, structure, formatted };
  try {
    const places = await find(typed, signal);
    if (places.length > 0) return { ...known, places: await withEnd(places, signal) };
    const slot = await firstWithout(structure, signal);
    return { ...known, places: [], problem: { message: `there is no such ${slot}`, slot } };
  } catch (error) {
    if (!(error instanceof CallError)) throw error;
    const { code, message: why, hint: todo } = error;
    // The hints about files name options of the command line.
    if (code.startsWith('FS_') || code.startsWith('USAGE_'))
      return { ...known, places: [], problem: { message: why, slot: 'file' } };
    return { ...known, places: [], problem: { message: why, hint: todo } };
  }
}

async function validate(path: string, signal?: AbortSignal) {
  return (await callTool('path', { verb: 'validate', path }, validateDetails, signal)).details;
}

async function find(path: string, signal?: AbortSignal): Promise<readonly Place[]> {
  return (await callTool('path', { verb: 'find', path }, findDetails, signal)).details.matches;
}

/** Where a single value ends. The answer for anything larger would hold the whole of it. */
async function withEnd(places: readonly Place[], signal?: AbortSignal): Promise<readonly Place[]> {
  const [only] = places;
  if (places.length !== 1 || only?.match.kind !== 'leaf') return places;
  const { details } = await callTool('path', { verb: 'resolve', path: only.path }, resolveDetails, signal);
  return details.match === undefined ? places : [{ ...only, match: details.match }];
}

/** The first slot that leads nowhere. */
async function firstWithout(structure: Structure, signal?: AbortSignal): Promise<SlotName> {
  const prefixes = prefixesOf(structure);
  for (const { slot, address } of prefixes.slice(0, -1)) if ((await find(address, signal)).length === 0) return slot;
  return prefixes.at(-1)!.slot;
}

async function longestValid(typed: string, signal?: AbortSignal): Promise<string> {
  for (const prefix of typedPrefixes(typed)) if ((await validate(prefix, signal)).valid) return prefix;
  return typed.startsWith(SCHEME) ? SCHEME : '';
}
