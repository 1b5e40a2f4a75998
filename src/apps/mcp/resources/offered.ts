/**
 * Resources are another way to the tools that read: where these are not offered, there are none. They are this machine's
 * files, so there are none for an agent whose tools work in a sandbox either.
 */
import { Fault } from '../../../base/fault.ts';
import { parseOcPath } from '../../../text/address/parse.ts';
import type { Toolbox } from '../../assemble.ts';
import { addressOfUri } from './uri.ts';

type Offer = Pick<Toolbox, 'names' | 'sandboxed'>;

/** Whether there are resources at all. */
export function offersResources({ names, sandboxed }: Offer): boolean {
  return names.includes('read') && !sandboxed;
}

/** Refuses an address that the tools on offer could not read either. */
export function refuseUnoffered({ names, sandboxed }: Offer, uri: string): void {
  if (sandboxed)
    throw new Fault('TOOL_NOT_OFFERED', 'there are no resources where the files are in a sandbox', {
      hint: 'the tool read reads them',
    });
  const { section } = parseOcPath(addressOfUri(uri));
  for (const tool of section === undefined ? ['read'] : ['read', 'path'])
    if (!names.includes(tool))
      throw new Fault(
        'TOOL_NOT_OFFERED',
        `the tool ${tool} is not offered here, and so are no resources that it reads`,
        { hint: "the operator's tools.allow and tools.deny decide" },
      );
}
