/** The library's main door: the address scheme and the documents it leads into. */
export * from './text/address/index.ts';
export * from './text/path/index.ts';
export { Fault, type FaultCode } from './base/fault.ts';
