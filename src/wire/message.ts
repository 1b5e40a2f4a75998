/** The messages of a channel, and what a program and the daemon say to each other before the first of them. */
import { Fault, type FaultCode } from '../base/fault.ts';

/** Increases when a message or a method changes so that another version would misread it. */
export const PROTOCOL = 3;

/** Which build of the program it is. */
export interface Build {
  readonly version: string;
  /** Modification time of the program's file in milliseconds: a later one is newer. */
  readonly time: number;
}

export interface Hello extends Build {
  readonly protocol: number;
}

/** The daemon's answer to a hello. `leaving`: it was idle and older, and makes room; `refused`: it is busy. */
export interface Welcome extends Hello {
  readonly pid: number;
  readonly answer: 'served' | 'leaving' | 'refused';
  /** It sends heartbeats while it works on a request. */
  readonly heartbeat?: true;
}

/** A fault as data. */
export interface FaultData {
  readonly code: FaultCode;
  readonly message: string;
  readonly hint?: string;
  readonly details?: Readonly<Record<string, unknown>>;
}

/** A message; the id of its frame is the call that it belongs to, 0 for none. */
export type Message =
  | { readonly call: string; readonly params: unknown }
  /** The caller does not need the result any more. The call is answered all the same. */
  | { readonly cancel: true }
  | { readonly event: unknown }
  | { readonly result: unknown }
  | { readonly fault: FaultData }
  | { readonly ping: number }
  | { readonly pong: number }
  /** Heartbeat: a call is in work. */
  | { readonly working: true };

/** The fault that the other end sent as data. */
export function faultFrom({ code, message, hint, details }: FaultData): Fault {
  const fault = new Fault(code, message, {
    ...(hint === undefined ? {} : { hint }),
    ...(details === undefined ? {} : { details }),
  });
  // An abort is recognised by its name, which is no member of the data.
  if (details?.['name'] === 'AbortError') fault.name = 'AbortError';
  return fault;
}
