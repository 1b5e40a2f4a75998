/** The handshake with the daemon, and the messages of a channel. */
import { Fault, type FaultCode } from '../base/fault.ts';

/** Increases with each incompatible change of a message or a method. */
export const PROTOCOL = 3;

export interface Build {
  readonly version: string;
  /** The modification time of the program's file in milliseconds, to compare builds of the same version. */
  readonly time: number;
}

export interface Hello extends Build {
  readonly protocol: number;
}

/** The daemon's answer to a hello. `leaving`: it is idle and older, and exits; `refused`: it is busy. */
export interface Welcome extends Hello {
  readonly pid: number;
  readonly answer: 'served' | 'leaving' | 'refused';
  /** The daemon sends heartbeats while a request runs. */
  readonly heartbeat?: true;
}

export interface FaultData {
  readonly code: FaultCode;
  readonly message: string;
  readonly hint?: string;
  readonly details?: Readonly<Record<string, unknown>>;
}

/** The frame of a message has the id of its call, or 0. */
export type Message =
  | { readonly call: string; readonly params: unknown }
  /** The caller no longer needs the result. The call is still answered. */
  | { readonly cancel: true }
  | { readonly event: unknown }
  | { readonly result: unknown }
  | { readonly fault: FaultData }
  | { readonly ping: number }
  | { readonly pong: number }
  /** Heartbeat: a call is running. */
  | { readonly working: true };

export function faultFrom({ code, message, hint, details }: FaultData): Fault {
  const fault = new Fault(code, message, {
    ...(hint === undefined ? {} : { hint }),
    ...(details === undefined ? {} : { details }),
  });
  // Callers recognise an abort by its name, which is not a member of the data.
  if (details?.['name'] === 'AbortError') fault.name = 'AbortError';
  return fault;
}
