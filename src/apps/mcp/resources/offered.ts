/** Resources are another way to the tools that read: where these are not offered, there are none. */
import { Fault } from '../../../base/fault.ts';
import { parseOcPath } from '../../../text/address/parse.ts';
import type { Toolbox } from '../../assemble.ts';
import { addressOfUri } from './uri.ts';

type Offer = Pick<Toolbox, 'names'>;

/** Whether there are resources at all. */
export function offersResources({ names }: Offer): boolean {
  return names.includes('read');
}

/** Refuses an address that the tools on offer could not read either. */
export function refuseUnoffered({ names }: Offer, uri: string): void {
  const { section } = parseOcPath(addressOfUri(uri));
  for (const tool of section === undefined ? ['read'] : ['read', 'path'])
    if (!names.includes(tool))
      throw new Fault(
        'TOOL_NOT_OFFERED',
        `the tool ${tool} is not offered here, and so are no resources that it reads`,
        { hint: "the operator's tools.allow and tools.deny decide" },
      );
}
