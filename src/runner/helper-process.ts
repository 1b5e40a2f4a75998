/**
 * Another process of this program that does one thing for this one and speaks the same frames: a terminal, or the file
 * tools, which are synchronous and would keep all commands waiting.
 */
import { spawn } from 'node:child_process';
import type { Socket } from 'node:net';
import { type FrameKind, FrameReader, type FrameTaker } from '../hosts/channel/frames.ts';
import { sendMessage } from '../hosts/channel/long-message.ts';
import { FrameSender } from '../hosts/channel/sending.ts';
import type { Order } from '../hosts/sandbox/link/messages.ts';
import { ownCommand } from './self.ts';

export interface HelperProcess {
  readonly pid: number | undefined;
  /** Resolves when it is gone. */
  readonly gone: Promise<void>;
  send(id: number, order: Order): void;
  raw(kind: FrameKind, id: number, payload: Uint8Array): void;
  /** It hears that its channel ends, and leaves. */
  close(): void;
  /** Keeps it from saying more until `resume`. */
  pause(): void;
  resume(): void;
}

export interface HelperEvents {
  readonly take: FrameTaker;
  /** Once, when it is gone. */
  readonly gone: () => void;
}

/** Starts a process for this role. */
export function startHelper(role: 'terminal' | 'tools', welcome: Order, { take, gone }: HelperEvents): HelperProcess {
  const [program, ...args] = ownCommand();
  const child = spawn(program, [...args, `--${role}`], {
    cwd: '/',
    env: {},
    stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
    detached: true,
  });
  const channel = child.stdio[3] as Socket;
  const sender = new FrameSender(channel);
  const reader = new FrameReader();
  let left: () => void = () => {};
  const whenGone = new Promise<void>((resolve) => (left = resolve));
  let isGone = false;
  const end = (): void => {
    if (isGone) return;
    isGone = true;
    channel.destroy();
    gone();
    left();
  };
  child.once('error', end);
  channel.on('data', (bytes: Buffer) => reader.read(bytes, take));
  channel.on('error', () => channel.destroy()); // `close` follows
  channel.once('close', end);
  sender.message(0, welcome);
  return {
    pid: child.pid,
    gone: whenGone,
    send: (id, order) => sendMessage(sender, id, order),
    raw: (kind, id, payload) => sender.raw(kind, id, new Uint8Array(payload)),
    close: () => channel.end(),
    pause: () => channel.pause(),
    resume: () => channel.resume(),
  };
}
