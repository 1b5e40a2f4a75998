/**
 * What crosses the daemon's socket. A client greets first, and hears whether it is served; then it sends requests, any
 * number at once, each with a number of its own choice. The greeting and its answer have the same shape for ever: a
 * program and a daemon of different versions must at least understand that they do not understand each other.
 */
import { Fault, type FaultCode } from '../../base/fault.ts';
import type { FollowEvent } from '../../wire/session.ts';

/** Goes up when a message or a method changes so that another version would misread it. */
export const PROTOCOL = 1;

/** Which build of the program it is. */
export interface Build {
  readonly version: string;
  /** When the program's file was written, in milliseconds: a later one is newer. */
  readonly time: number;
}

export interface Hello extends Build {
  readonly protocol: number;
}

/** The daemon's answer to the greeting. `leaving`: it was idle and older, and makes room; `refused`: it is busy. */
export interface Welcome extends Hello {
  readonly pid: number;
  readonly answer: 'served' | 'leaving' | 'refused';
  /** It sends heartbeats while it works on a request. Absent in versions before them. */
  readonly heartbeat?: true;
}

export interface Request {
  readonly id: number;
  readonly method: string;
  readonly params: unknown;
}

/** A fault as data. */
export interface FaultData {
  readonly code: FaultCode;
  readonly message: string;
  readonly hint?: string;
  readonly details?: Readonly<Record<string, unknown>>;
}

/** What a stream carries beside output, which has frames of its own. */
export type StreamEvent =
  | Exclude<FollowEvent, { type: 'output' }>
  | { readonly type: 'notice'; readonly notice: unknown };

export type ClientMessage = { readonly hello: Hello } | Request | { readonly cancel: number };

export type ServerMessage =
  | { readonly hello: Welcome }
  /** The requests that were received and are not answered yet; every 2 s while there are any. */
  | { readonly working: readonly number[] }
  | { readonly id: number; readonly result: unknown }
  | { readonly id: number; readonly error: FaultData }
  | { readonly id: number; readonly event: StreamEvent };

/** A fault again, on the other side of the socket. */
export function faultFrom({ code, message, hint, details }: FaultData): Fault {
  const fault = new Fault(code, message, {
    ...(hint === undefined ? {} : { hint }),
    ...(details === undefined ? {} : { details }),
  });
  // An abort is known by its name, which does not cross by itself.
  if (details?.['name'] === 'AbortError') fault.name = 'AbortError';
  return fault;
}
