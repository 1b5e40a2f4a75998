/**
 * Resources need the same tools as reading: if these are not offered, there are no resources. Resources are files of this
 * machine, so there are none for an agent whose tools run in a sandbox or on a node.
 */
import { Fault } from '../../../base/fault.ts';
import { parseOcPath } from '../../../text/address/parse.ts';
import type { Toolbox } from '../../assemble.ts';
import { addressOfUri } from './uri.ts';

type Offer = Pick<Toolbox, 'names' | 'sandboxed' | 'node'>;

export function offersResources({ names, sandboxed, node }: Offer): boolean {
  return names.includes('read') && !sandboxed && node === undefined;
}

/** Refuses an address that the offered tools could not read. */
export function refuseUnoffered({ names, sandboxed, node }: Offer, uri: string): void {
  if (sandboxed || node !== undefined) {
    const where = node === undefined ? 'in a sandbox' : `on node ${node}`;
    throw new Fault('TOOL_NOT_OFFERED', `resources are unavailable, because the files are ${where}`, {
      hint: 'use the tool read',
    });
  }
  const { section } = parseOcPath(addressOfUri(uri));
  for (const tool of section === undefined ? ['read'] : ['read', 'path'])
    if (!names.includes(tool))
      throw new Fault('TOOL_NOT_OFFERED', `the tool ${tool} is not offered here, so its resources are unavailable`, {
        hint: "the operator's tools.allow and tools.deny decide",
      });
}
