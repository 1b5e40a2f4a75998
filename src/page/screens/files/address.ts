/** Addresses of files, and the paths of the page that show them. The grammar itself is on the server. */
import { pathTo } from '../../router.ts';
import type { Structure } from './answers.ts';

/** The first segment below `/files` of the record of changes. */
export const CHANGES = 'changes';
export const SLOTS = ['file', 'section', 'item', 'field'] as const;
export type SlotName = (typeof SLOTS)[number];

export const SCHEME = 'oc://';

/** Any name as it is: `oc://$"…"` has no exceptions. */
export function fileAddress(file: string): string {
  return `${SCHEME}$${JSON.stringify(file)}`;
}

export interface SlotPrefix {
  readonly slot: SlotName;
  /** The address up to and with this slot. */
  readonly address: string;
}

/** The shortest first. */
export function prefixesOf(parts: Structure): readonly SlotPrefix[] {
  const prefixes: SlotPrefix[] = [{ slot: 'file', address: fileAddress(parts.file) }];
  for (const slot of ['section', 'item', 'field'] as const) {
    const text = parts[slot];
    if (text === undefined) break;
    prefixes.push({ slot, address: `${prefixes.at(-1)!.address}/${text}` });
  }
  return prefixes;
}

/** The text up to each separator, the longest first: where a typed address stops to be valid. */
export function typedPrefixes(typed: string): readonly string[] {
  const cuts = [...typed.matchAll(/[/.?]/gu)].map(({ index }) => index).filter((cut) => cut > SCHEME.length);
  return cuts.toReversed().map((cut) => typed.slice(0, cut));
}

/** `/files/deploy/a.yaml?at=oc://…` */
export function filesPath(file: string, address?: string): string {
  const query = address === undefined ? '' : `?${new URLSearchParams({ at: address })}`;
  // Paths below `/files/changes` are changes, so a file with such a path is named by its address.
  if (file === '' || file.split('/')[0] === CHANGES)
    return `/files?${new URLSearchParams({ at: address ?? fileAddress(file) })}`;
  return pathTo('files', ...file.split('/')) + query;
}

const NAME = /\$?"(?:[^"\\]|\\.)*"|\[[^\]]*\]|\{[^}]*\}|[^/.]+/gu;

/** The last name of an address that the server formatted, without its quotes. */
export function lastName(address: string): string {
  const name = address.match(NAME)?.at(-1) ?? address;
  if (name.startsWith('$"')) return String(JSON.parse(name.slice(1)));
  return name.startsWith('"') ? name.slice(1, -1) : name;
}

/** Addresses that a person may mean: those that begin with the text, then those that contain it. */
export function completions(addresses: readonly string[], typed: string, most: number): readonly string[] {
  const wanted = typed.toLowerCase();
  const begin = addresses.filter((address) => address.toLowerCase().startsWith(wanted) && address !== typed);
  const words = wanted.replace(/^oc:\/\//u, '');
  const contain =
    words === ''
      ? []
      : addresses.filter(
          (address) => address.toLowerCase().includes(words) && !begin.includes(address) && address !== typed,
        );
  return [...begin, ...contain].slice(0, most);
}
