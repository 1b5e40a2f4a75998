/** Resource URIs: percent-encoded `oc://` addresses. */
import { Fault } from '../../../base/fault.ts';
import { formatOcPath } from '../../../text/address/format.ts';

const SCHEME = 'oc://';
/** All other characters have another meaning in URIs, or are changed when a URI is normalized. */
const ENCODED = /[^\w\-.~!$&'()*+,;=/]/gu;

/** Undefined if no address can contain the name. */
export function uriOfFile(name: string): string | undefined {
  try {
    return SCHEME + formatOcPath({ file: name }).slice(SCHEME.length).replaceAll(ENCODED, encodeURIComponent);
  } catch (error) {
    if (error instanceof Fault) return undefined;
    throw error;
  }
}

/** Accepts addresses that are not encoded. */
export function addressOfUri(uri: string): string {
  if (!uri.includes('%')) return uri;
  try {
    return decodeURIComponent(uri);
  } catch {
    return uri; // a bare % is part of the address
  }
}
