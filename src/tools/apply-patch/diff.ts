/** One diff of bounded size for the effects of a patch; computes only what it shows. */
import { Fault } from '../../base/fault.ts';
import { cutDiff, lineSplices } from '../../text/edit/diff.ts';
import { lineEnd } from '../../text/lines/position.ts';
import type { Splice } from '../../text/lines/splice.ts';
import { diffName, unifiedDiff } from '../../text/lines/unified.ts';
import { MOST_SHOWN, type Overlay, type Slot } from './overlay.ts';
import type { Effect } from './reduce.ts';

const MOST_CHARACTERS = 32_000;
const MOST_SPLICES = 200;

export function diffOf(overlay: Overlay, effects: readonly Effect[]): string {
  let diff = '';
  let hidden = 0;
  for (const effect of effects) {
    if (diff.length >= MOST_CHARACTERS) hidden += effect.splices?.length ?? 1;
    else {
      const one = diffOfEffect(overlay, effect);
      diff += one.text;
      hidden += one.hidden;
    }
  }
  return cutDiff(diff, hidden);
}

function diffOfEffect(overlay: Overlay, effect: Effect): { readonly text: string; readonly hidden: number } {
  const { action, slot, from } = effect;
  const { text, splices } = isHidden(overlay, effect) ? NOTHING : changeOf(overlay, effect);
  const shown = splices.slice(0, MOST_SPLICES);
  const name = diffName(slot.name);
  const diff = unifiedDiff(slot.name, upTo(text, shown.at(-1)?.end ?? 0), shown);
  const body = diff.slice(`--- ${name}\n+++ ${name}\n`.length);
  const hidden = splices.length - shown.length;
  if (action === 'unchanged') return { text: '', hidden };
  if (action === 'move')
    return {
      text: `rename from ${diffName(from!.name)}\nrename to ${name}\n${body === '' ? '' : `--- ${diffName(from!.name)}\n+++ ${name}\n${body}`}`,
      hidden,
    };
  const old = action === 'add' ? '/dev/null' : name;
  return { text: `--- ${old}\n+++ ${action === 'delete' ? '/dev/null' : name}\n${body}`, hidden };
}

const NOTHING = { text: '', splices: [] };

/** For a file with secrets the diff shows the change, but no lines. */
function isHidden(overlay: Overlay, { slot, from }: Effect): boolean {
  return [slot, ...(from === undefined ? [] : [from])].some((one) => overlay.hides(one) !== undefined);
}

/** The old text and its splices. Reads a removed or replaced file if it is small. */
function changeOf(overlay: Overlay, effect: Effect): { readonly text: string; readonly splices: readonly Splice[] } {
  const { action, slot, text, splices, newText = '' } = effect;
  if (text !== undefined && splices !== undefined) return { text, splices };
  if (action !== 'delete' && effect.newText === undefined) return { text: '', splices: [] };
  const old = oldText(overlay, slot);
  if (old === undefined) return { text: '', splices: [] };
  return { text: old, splices: lineSplices(old, newText) };
}

function oldText(overlay: Overlay, slot: Slot): string | undefined {
  if (slot.place.type !== 'file' || Number(slot.place.stamp?.size ?? 0) > MOST_SHOWN) return undefined;
  try {
    return overlay.read(slot).source.text;
  } catch (error) {
    // A patch may delete an unreadable file.
    if (error instanceof Fault) return undefined;
    throw error;
  }
}

/** The text up to three lines after an offset; the diff shows no more. */
function upTo(text: string, offset: number): string {
  let end = offset;
  for (let i = 0; i < 4; i++) end = lineEnd(text, end);
  return text.slice(0, end);
}
