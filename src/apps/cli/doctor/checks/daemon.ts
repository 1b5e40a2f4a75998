/** The daemon, its socket, and files that dead processes left. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isInside } from '../../../../base/inside.ts';
import { Fault } from '../../../../base/fault.ts';
import { lockWait, sweepLocks } from '../../../../hosts/files/locks/lock-file.ts';
import { isAlive } from '../../../../hosts/files/locks/owner.ts';
import { connectGateway } from '../../../client/connect.ts';
import { readPointer, removePointer, whyUnsafe } from '../../../daemon/pointer.ts';
import { version } from '../../../../../package.json';
import { quoteCommand } from '../../exec/quote-command.ts';
import { type Check, fail, ok, type DoctorContext, skip, warn } from '../check.ts';
import { setMode, lstatIfExists } from './own-file.ts';

export const daemon: Check = {
  id: 'daemon',
  async run(context) {
    const { stateDir } = context;
    const pointer = readPointer(stateDir);
    if (pointer === undefined) return ok('not running; commands start it when needed');
    if (!isAlive(pointer))
      return [
        {
          status: 'warn',
          message: `the daemon (pid ${pointer.pid}) died without cleaning up`,
          fix: 'nothing to do: the next command starts a new daemon',
          repair: () => {
            const now = readPointer(stateDir);
            if (now !== undefined && !isAlive(now)) removePointer(stateDir);
          },
        },
      ];
    return reach(context);
  },
};

async function reach({ stateDir, program }: DoctorContext) {
  try {
    const client = await connectGateway({ stateDir, program, start: false });
    try {
      const { pid, version: its, sessions } = await client.call('daemon.status', {});
      if (its === version) return ok(`pid ${pid} answers, version ${its}, ${sessions.running} sessions running`);
      return warn(
        `the daemon (pid ${pid}) has version ${its}, this program ${version}`,
        'pincer daemon stop, after its sessions have ended',
      );
    } finally {
      client.close();
    }
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    if (error.code === 'GATEWAY_NOT_RUNNING')
      return ok('a daemon of another version has exited; commands start a new one');
    return fail(error.message, error.hint ?? 'pincer daemon stop --force ends it');
  }
}

export const socket: Check = {
  id: 'socket',
  run({ stateDir, env }) {
    const pointer = readPointer(stateDir);
    const runtime = env['XDG_RUNTIME_DIR'];
    const folder = pointer === undefined ? undefined : dirname(pointer.socket);
    if (folder === undefined || !existsSync(folder)) {
      if (runtime && !existsSync(runtime))
        return warn(`XDG_RUNTIME_DIR is ${runtime}, which does not exist`, 'log in again, or unset XDG_RUNTIME_DIR');
      return skip('there is no daemon socket yet');
    }
    const why = whyUnsafe(folder);
    if (why === undefined) return ok(`only you can reach ${folder}`);
    const isOwnFolder = isInside(folder, stateDir) || /\/pincer[^/]*$/u.test(folder);
    const mayRepair = isOwnFolder && lstatIfExists(folder)?.isDirectory() === true;
    return [
      {
        status: 'fail',
        message: `${why}: pincer does not connect to a socket there`,
        fix: quoteCommand(['chmod', '700', folder]),
        ...(mayRepair ? { repair: () => setMode(folder, 0o700) } : {}),
      },
    ];
  },
};

export const locks: Check = {
  id: 'locks',
  run({ stateDir }) {
    const folder = join(stateDir, 'locks');
    const tickets = join(stateDir, 'tickets');
    if (!existsSync(folder)) return skip('no locks yet');
    const dead = deadLocks(folder);
    if (dead.length === 0) return ok('no stale locks');
    return [
      {
        status: 'warn',
        message:
          dead.length === 1 ? '1 lock belongs to a dead process' : `${dead.length} locks belong to dead processes`,
        fix: 'nothing to do: the next program that needs the lock breaks it',
        repair: () => sweepLocks(folder, tickets, readdirSync(folder), lockWait(1000)),
      },
    ];
  },
};

function deadLocks(folder: string): readonly string[] {
  return readdirSync(folder).filter((name) => name.endsWith('.lock') && isDead(join(folder, name)));
}

function isDead(path: string): boolean {
  try {
    const { pid, start } = JSON.parse(readFileSync(path, 'utf8')) as { pid?: unknown; start?: unknown };
    return typeof pid === 'number' && typeof start === 'string' && !isAlive({ pid, start });
  } catch (error) {
    // ENOENT: released just now. An empty lock is from before a crash of the machine.
    return (error as NodeJS.ErrnoException).code !== 'ENOENT';
  }
}
