/** Faults as the errors of the protocol. */
import { ProtocolError, ProtocolErrorCode, ResourceNotFoundError } from '@modelcontextprotocol/server';
import { Fault } from '../../../base/fault.ts';

/** Does the work; what it cannot answer becomes an error that says why and what to do. */
export async function answering<T>(uri: string | undefined, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    const { code, message, hint } = error;
    const text = hint === undefined ? message : `${message}; ${hint}`;
    if (uri !== undefined && code === 'FS_NOT_FOUND') throw new ResourceNotFoundError(uri, text);
    // Without its details, which name files by their real paths.
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, text, { code, ...(uri === undefined ? {} : { uri }) });
  }
}

/** Nothing stands at an address. */
export function nothingAt(uri: string): ResourceNotFoundError {
  return new ResourceNotFoundError(uri, `nothing stands at ${uri}`);
}
