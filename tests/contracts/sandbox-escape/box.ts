/** A sandbox under attack: commands and file tools go in through the link that the gateway uses, too. */
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Backend, OpenSandbox, SandboxSpec } from '../../../src/hosts/sandbox/backend.ts';
import { connectInside, type InsideLink, type LinkOptions } from '../../../src/hosts/sandbox/link/link.ts';
import type { ToolResult } from '../../../src/wire/tool.ts';
import type { Exit, Launched } from '../../../src/hosts/process/launch.ts';

export interface Ran {
  /** The exit code; the name of the signal where one ended it. */
  readonly code: number | string;
  /** Both streams, the last mebibyte. */
  readonly out: string;
  readonly bytes: number;
}

export interface ShOptions {
  readonly pty?: boolean;
  /** Ends the command with its tree as soon as it has said this. */
  readonly killAt?: string;
  readonly env?: Readonly<Record<string, string>>;
}

export interface Box {
  /** The workspace on this machine. */
  readonly workspace: string;
  readonly link: InsideLink;
  readonly opened: OpenSandbox;
  readonly sh: (command: string, options?: ShOptions) => Promise<Ran>;
  /** Starts a command and goes on. */
  start(command: string): Promise<Launched>;
  tool(name: string, args: unknown): Promise<ToolResult>;
  end(): Promise<void>;
}

export type BoxOptions = Partial<Omit<SandboxSpec, 'id'>> & { readonly link?: Partial<LinkOptions> };

const KEPT = 1024 * 1024;
let count = 0;

/** A folder of this machine for a test. */
export function hostFolder(name = 'escape'): string {
  return realpathSync(mkdtempSync(join(tmpdir(), `pincer-${name}-`)));
}

/** Opens a sandbox with the agent in it. */
export async function openBox(backend: Backend, options: BoxOptions = {}): Promise<Box> {
  const { link: linkOptions, ...spec } = options;
  const workspace = spec.workspace ?? hostFolder();
  const opened = await backend.open({
    id: `escape-${process.pid}-${count++}`,
    workspaceAccess: 'rw',
    limits: { tmpBytes: 32 * 1024 * 1024 },
    egress: false,
    binds: [],
    env: {},
    ...spec,
    workspace,
  });
  const link = connectInside(opened.channel, { breakDown: () => void opened.end(), ...linkOptions });
  await link.ready;
  return {
    workspace,
    link,
    opened,
    async sh(command, { pty, killAt, env } = {}) {
      const { launched, ran, said } = await launch(link, command, pty === true, env ?? {});
      if (killAt !== undefined) void said(killAt).then(() => launched.kill(100));
      return ran;
    },
    async start(command) {
      const { launched, ran } = await launch(link, command, false, {});
      ran.catch(() => {}); // its sandbox ends before it
      return launched;
    },
    tool: (name, args) => link.callTool(name, args),
    async end() {
      await opened.end();
      if (spec.workspace === undefined) rmSync(workspace, { recursive: true, force: true });
    },
  };
}

async function launch(link: InsideLink, command: string, pty: boolean, env: Readonly<Record<string, string>>) {
  const kept: Buffer[] = [];
  let bytes = 0;
  let keptBytes = 0;
  let check = (): void => {};
  const text = (): string => Buffer.concat(kept).toString('utf8');
  let end: (exit: Exit) => void = () => {};
  const exited = new Promise<Exit>((resolve) => {
    end = resolve;
  });
  const launched = await link.launcher.launch(
    {
      session: `escape-${count++}`,
      stages: [{ file: '/bin/sh', argv: ['sh', '-lc', command] }],
      cwd: '/workspace',
      env: { PATH: '/usr/bin:/bin', HOME: '/tmp', ...env },
      streams: 'merged',
      stdin: 'closed',
      ...(pty ? { pty: { cols: 100, rows: 30 } } : {}),
    },
    {
      output(_, part) {
        bytes += part.length;
        keptBytes += part.length;
        kept.push(Buffer.from(part)); // a copy: the bytes are only good during the call
        while (keptBytes - (kept[0]?.length ?? 0) > KEPT) keptBytes -= kept.shift()?.length ?? 0;
        check();
        return true;
      },
      exited: (exit) => end(exit),
    },
  );
  const ran = exited.then((exit): Ran => ({ code: codeOf(exit), out: text(), bytes }));
  const said = (wanted: string): Promise<void> =>
    new Promise((resolve) => {
      check = () => {
        if (text().includes(wanted)) resolve();
      };
      check();
    });
  return { launched, ran, said };
}

function codeOf(exit: Exit): number | string {
  if (exit.kind === 'code') return exit.code;
  return exit.kind === 'signal' ? exit.signal : exit.kind;
}
