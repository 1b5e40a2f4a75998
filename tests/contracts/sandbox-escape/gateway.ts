/** Starts a gateway as a process of its own. */
import { spawn, type ChildProcess } from 'node:child_process';
import { chmodSync, copyFileSync, cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { builtScript } from '../../support/built.ts';
import type { GatewayArguments } from './dying-gateway.ts';

export interface GatewayProcess {
  readonly process: ChildProcess;
  readonly said: {
    readonly code: number | string;
    readonly out: string;
    readonly pid: number;
    /** Its own; `workspace` stands in it. */
    readonly folder: string;
  };
  /** Kills it, if it still runs, and removes what it wrote. */
  end(): Promise<void>;
}

export interface GatewayOptions extends Omit<GatewayArguments, 'setup'> {
  /** Default: the current user. */
  readonly uid?: number;
}

export async function gatewayProcess(
  setup: GatewayArguments['setup'],
  { uid, ...options }: GatewayOptions,
): Promise<GatewayProcess> {
  // Everybody may enter it, and nothing is found beside it: it brings all that it needs.
  const folder = mkdtempSync(join(tmpdir(), 'pincer-gateways-'));
  chmodSync(folder, 0o755);
  const own = join(folder, 'runner', basename(setup.runner));
  cpSync(dirname(setup.runner), dirname(own), { recursive: true });
  const script = join(folder, 'gateway.mjs');
  copyFileSync(builtScript('dying-gateway'), script);
  const args: GatewayArguments = { setup: { ...setup, runner: own }, ...options };
  const user = uid === undefined ? {} : { uid, gid: uid };
  const child = spawn(process.execPath, [script, JSON.stringify(args)], {
    ...user,
    cwd: '/',
    env: {},
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const exited = new Promise<void>((resolve) => void child.once('exit', () => resolve()));
  let complaints = '';
  child.stderr.on('data', (text: Buffer) => {
    complaints += text.toString();
  });
  let written: string | undefined;
  const end = async (): Promise<void> => {
    child.kill('SIGKILL');
    await exited;
    for (const each of [folder, written]) if (each !== undefined) rmSync(each, { recursive: true, force: true });
  };
  try {
    const line = await new Promise<string>((resolve, reject) => {
      child.stdout.once('data', (text: Buffer) => resolve(text.toString()));
      void exited.then(() => reject(new Error(`the gateway ended: ${complaints}`)));
    });
    const said = JSON.parse(line) as GatewayProcess['said'];
    written = said.folder;
    return { process: child, said, end };
  } catch (error) {
    await end();
    throw error;
  }
}
