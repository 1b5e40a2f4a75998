/** The laws that every kind of document obeys. Each takes one sound text and fails with what it saw. */
import { expect } from 'vitest';
import { formatOcPath, parseOcPath, stepsOf } from '../../src/text/address/index.ts';
import type { Document, KindName, Place } from '../../src/text/kind.ts';
import { applySplices } from '../../src/text/lines/splice.ts';
import { parseDocument } from '../../src/text/path/document.ts';
import { addressOf } from '../../src/text/walk/match.ts';
import { locateOcPath } from '../../src/text/path/read.ts';
import { deleteOcPath, setOcPath } from '../../src/text/path/set.ts';
import { walk } from '../../src/text/walk/walk.ts';

const FILES: Readonly<Record<KindName, string>> = {
  md: 'x.md',
  jsonc: 'x.jsonc',
  jsonl: 'x.jsonl',
  yaml: 'x.yaml',
  dotenv: 'x.env',
};

export interface Spot {
  readonly address: string;
  readonly place: Place;
}

/** Every place of a document with its address, but the root. */
export function spotsOf(document: Document): Spot[] {
  const file = FILES[document.kind];
  const steps = stepsOf(parseOcPath(`oc://${file}/**`));
  return Array.from(walk(document, steps), ({ place, names }) => ({
    address: addressOf({ file }, names),
    place,
  })).filter(({ place }) => place.shape !== 'root');
}

export function parseSound(text: string, kind: KindName): Document {
  const document = parseDocument(text, kind);
  expect(document.problems).toEqual([]);
  return document;
}

/** Parsing keeps the text, and every match of `**` is found again by its address, once. */
export function matchesResolveBack(text: string, kind: KindName): void {
  const document = parseSound(text, kind);
  expect(document.text).toBe(text);
  const spots = spotsOf(document);
  expect(new Set(spots.map((spot) => spot.address)).size).toBe(spots.length);
  for (const { address, place } of spots) {
    const path = parseOcPath(address);
    expect(formatOcPath(path)).toBe(address);
    const found = locateOcPath(document, path)?.place;
    expect([address, found?.start, found?.end, found?.shape]).toEqual([address, place.start, place.end, place.shape]);
  }
}

/** Writing what stands there changes no byte. */
export function ownValueChangesNothing(text: string, kind: KindName): void {
  const document = parseSound(text, kind);
  for (const { address, place } of spotsOf(document)) {
    if (place.shape !== 'leaf') continue;
    const outcome = setOcPath(document, parseOcPath(address), { text: document.leaf(place).valueText });
    if (!outcome.ok && outcome.reason === 'alias') continue;
    expect([address, outcome]).toEqual([address, { ok: true, splices: [], text }]);
  }
}

/** A new text in a string leaf reads back, only the splices differ, and a second time nothing changes. */
export function writtenTextReadsBack(text: string, kind: KindName, value: string): void {
  const document = parseSound(text, kind);
  for (const { address, place } of spotsOf(document)) {
    if (place.shape !== 'leaf' || document.leaf(place).leafType !== 'string') continue;
    const path = parseOcPath(address);
    const outcome = setOcPath(document, path, { text: value });
    if (!outcome.ok) {
      // Markdown cannot hold every text in a bullet, and nothing is written through an alias.
      expect([address, outcome.reason]).toEqual([
        address,
        expect.stringMatching(/^(?:parse-error|not-writable|alias)$/),
      ]);
      continue;
    }
    expect(applySplices(text, outcome.splices)).toBe(outcome.text);
    const after = parseSound(outcome.text, kind);
    const found = locateOcPath(after, path);
    expect([address, found === undefined ? undefined : after.leaf(found.place).valueText]).toEqual([address, value]);
    expect(setOcPath(after, path, { text: value })).toEqual({ ok: true, splices: [], text: outcome.text });
  }
}

/** Taking a place out leaves a sound document in which it is gone and the leaves before it are as they were. */
export function removalLeavesTheRest(text: string, kind: KindName): void {
  const document = parseSound(text, kind);
  const leaves = (from: Document) =>
    spotsOf(from)
      .filter(({ place }) => place.shape === 'leaf')
      .map(({ place }) => from.leaf(place).valueText);
  const spots = spotsOf(document);
  for (const [index, { address }] of spots.entries()) {
    const outcome = deleteOcPath(document, parseOcPath(address));
    if (!outcome.ok) {
      expect([address, outcome.reason]).toEqual([address, expect.stringMatching(/^(?:not-writable|alias)$/)]);
      continue;
    }
    const before = spots.slice(0, index).filter(({ place }) => place.shape === 'leaf').length;
    const rest = leaves(parseSound(outcome.text, kind));
    expect([address, ...rest.slice(0, before)]).toEqual([address, ...leaves(document).slice(0, before)]);
    expect([address, rest.length < spots.length]).toEqual([address, true]);
  }
}
