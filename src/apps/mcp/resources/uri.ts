/** Addresses as resources name them: an `oc://` address whose other characters are percent-encoded, as URIs want it. */
import { Fault } from '../../../base/fault.ts';
import { formatOcPath } from '../../../text/address/format.ts';

const SCHEME = 'oc://';
/** Everything else would be read as another part of a URI, or be changed by those who tidy URIs up. */
const ENCODED = /[^\w\-.~!$&'()*+,;=/]/gu;

/** The URI of a file of the workspace; undefined for a name that no address can have. */
export function uriOfFile(name: string): string | undefined {
  try {
    return SCHEME + formatOcPath({ file: name }).slice(SCHEME.length).replaceAll(ENCODED, encodeURIComponent);
  } catch (error) {
    if (error instanceof Fault) return undefined;
    throw error;
  }
}

/** The address that a URI stands for; one that was never encoded is taken as it is. */
export function addressOfUri(uri: string): string {
  if (!uri.includes('%')) return uri;
  try {
    return decodeURIComponent(uri);
  } catch {
    return uri; // a bare % belongs to the address itself
  }
}
