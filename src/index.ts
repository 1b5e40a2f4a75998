/** The main entry point of the library: addresses, and reading and writing documents with them. */
export * from './text/address/index.ts';
export * from './text/path/index.ts';
export { Fault, type FaultCode } from './base/fault.ts';
