/** A process that exchanges two names as fast as it can, until it is stopped or its parent is gone. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { compiledProgram } from '../support/built.ts';

const FIXTURES = join(import.meta.dirname, 'fixtures');

export interface Attacker {
  /** Compiled with one system call for an exchange, or Node with three renames. */
  readonly kind: 'compiled' | 'node';
  /** Resolves when the process is gone; the two names are then as they were, or exchanged. */
  stop(): Promise<void>;
}

/** Starts the exchange of two paths; resolves after the first one. */
export async function startAttacker(a: string, b: string): Promise<Attacker> {
  const program = compiledProgram('attacker');
  const compiled = program === undefined ? undefined : await started(program, [a, b]);
  if (compiled !== undefined) return { kind: 'compiled', stop: () => stop(compiled) };
  const child = await started(process.execPath, [join(FIXTURES, 'attacker.mjs'), a, b]);
  if (child === undefined) throw new Error('no attacker could be started');
  return { kind: 'node', stop: () => stop(child) };
}

/** Undefined when it ended before its first exchange, as on a file system that cannot exchange names. */
async function started(program: string, args: readonly string[]): Promise<ChildProcess | undefined> {
  const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'ignore'] });
  const began = await Promise.race([
    once(child.stdout, 'data').then(() => true),
    once(child, 'exit').then(() => false),
  ]);
  return began ? child : undefined;
}

/** The end of its input tells it to finish what it is doing and end. */
async function stop(child: ChildProcess): Promise<void> {
  const ended = child.exitCode === null && child.signalCode === null ? once(child, 'exit') : undefined;
  child.stdin?.end();
  await ended;
}
