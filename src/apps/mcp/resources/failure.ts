import { ProtocolError, ProtocolErrorCode, ResourceNotFoundError } from '@modelcontextprotocol/server';
import { Fault } from '../../../base/fault.ts';

/** Converts a Fault to a protocol error. */
export async function withProtocolErrors<T>(uri: string | undefined, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    const { code, message, hint } = error;
    const text = hint === undefined ? message : `${message}; ${hint}`;
    if (uri !== undefined && code === 'FS_NOT_FOUND') throw new ResourceNotFoundError(uri, text);
    // Without `details`, which contain real paths.
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, text, { code, ...(uri === undefined ? {} : { uri }) });
  }
}

export function resourceNotFound(uri: string): ResourceNotFoundError {
  return new ResourceNotFoundError(uri, `resource not found: ${uri}`);
}
