/** What every attack has at hand. */
import { execFileSync } from 'node:child_process';
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { PromiseId } from '../../../src/hosts/sandbox/probe/promises.ts';
import { hostFolder, openBox, type Box, type BoxOptions } from './box.ts';
import type { Contender } from './contender.ts';
import { putPrograms } from './programs.ts';

export interface Arena {
  readonly contender: Contender;
  /** Where the programs of the attacks are on this machine. */
  readonly programs: string;
  /** A sandbox with a writable workspace that the attacks share; `attempts` and `implements` lie in it. */
  readonly box: Box;
  /** Opens another one, which ends with the attack. */
  readonly open: (options?: BoxOptions) => Promise<Box>;
  /** A folder of the host that goes with the attack. */
  readonly folder: (name?: string) => string;
  /** What each try of `attempts` gave inside. */
  readonly attempts: () => Promise<ReadonlyMap<string, string>>;
  /** What each gave on this machine, without a sandbox. */
  readonly hostAttempts: () => ReadonlyMap<string, string>;
}

/** One attack for each promise. */
export type Attacks = Readonly<Partial<Record<PromiseId, (arena: Arena) => Promise<void>>>>;

/** An arena for one backend, and what ends it. */
export async function openArena(contender: Contender, programs: string) {
  const { backend } = contender;
  const box = await openBox(backend);
  putPrograms(programs, box.workspace);
  const closing: (() => void | Promise<void>)[] = [];
  let inside: Promise<ReadonlyMap<string, string>> | undefined;
  const arena: Arena = {
    contender,
    programs,
    box,
    async open(options = {}) {
      const other = await openBox(backend, options);
      closing.push(() => other.end());
      if (existsSync(other.workspace)) putPrograms(programs, other.workspace);
      return other;
    },
    folder(name) {
      const folder = hostFolder(name);
      closing.push(() => rmSync(folder, { recursive: true, force: true }));
      return folder;
    },
    attempts: () => (inside ??= box.sh('./attempts').then(({ out }) => readAttempts(out))),
    hostAttempts: () => readAttempts(execFileSync(join(programs, 'attempts'), HARMLESS, { encoding: 'utf8' })),
  };
  return {
    arena,
    /** Ends what one attack opened. */
    async tidy() {
      for (const close of closing.splice(0).reverse()) await close();
    },
    end: () => box.end(),
  };
}

/** What changes nothing on this machine where it is allowed. */
const HARMLESS = [
  'unshare_user clone_user clone3_user io_uring_setup ptrace_me ptrace_attach process_vm_readv',
  'pidfd_getfd kcmp keyctl userfaultfd af_unix datagram_pair netlink_events lease tiocsti foreign_architecture',
].flatMap((line) => line.split(' '));

function readAttempts(out: string): ReadonlyMap<string, string> {
  const lines = out.split(/\r?\n/u).filter((line) => /^\w+ (?:allowed|\d+|signal \d+)$/u.test(line));
  return new Map(lines.map((line) => [line.slice(0, line.indexOf(' ')), line.slice(line.indexOf(' ') + 1)]));
}
