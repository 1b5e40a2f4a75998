/** The daemon, its socket, and what dead processes left. */
import { existsSync, readdirSync } from 'node:fs';
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
import { deadLocks } from './dead-locks.ts';
import { setMode, lstatIfExists } from './own-file.ts';

export const daemon: Check = {
  id: 'daemon',
  async run(patient) {
    const { stateDir } = patient;
    const pointer = readPointer(stateDir);
    if (pointer === undefined) return ok('none runs; commands start one when they need it');
    if (!isAlive(pointer))
      return [
        {
          status: 'warn',
          message: `the daemon (process ${pointer.pid}) died without taking its leave`,
          fix: 'nothing has to be done: the next command starts another',
          repair: () => {
            const now = readPointer(stateDir);
            if (now !== undefined && !isAlive(now)) removePointer(stateDir);
          },
        },
      ];
    return reach(patient);
  },
};

async function reach({ stateDir, program }: DoctorContext) {
  try {
    const client = await connectGateway({ stateDir, program, start: false });
    try {
      const { pid, version: its, sessions } = await client.call('daemon.status', {});
      if (its === version) return ok(`process ${pid} answers, version ${its}, ${sessions.running} sessions run`);
      return warn(
        `process ${pid} is of version ${its}, this program of ${version}`,
        'pincer daemon stop, when its sessions are done',
      );
    } finally {
      client.close();
    }
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    if (error.code === 'GATEWAY_NOT_RUNNING')
      return ok('one of another version has made room; commands start a new one');
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
        return warn(`XDG_RUNTIME_DIR names ${runtime}, which is not there`, 'log in again, or unset XDG_RUNTIME_DIR');
      return skip('no daemon has a socket yet');
    }
    const why = whyUnsafe(folder);
    if (why === undefined) return ok(`only you can reach ${folder}`);
    const isOurs = isInside(folder, stateDir) || /\/pincer[^/]*$/u.test(folder);
    const mayMend = isOurs && lstatIfExists(folder)?.isDirectory() === true;
    return [
      {
        status: 'fail',
        message: `${why}: nothing is said to a socket there`,
        fix: quoteCommand(['chmod', '700', folder]),
        ...(mayMend ? { repair: () => setMode(folder, 0o700) } : {}),
      },
    ];
  },
};

export const locks: Check = {
  id: 'locks',
  run({ stateDir }) {
    const folder = join(stateDir, 'locks');
    const tickets = join(stateDir, 'tickets');
    if (!existsSync(folder)) return skip('nothing was locked yet');
    const dead = deadLocks(folder);
    if (dead.length === 0) return ok('no lock was left behind');
    return [
      {
        status: 'warn',
        message: `${dead.length === 1 ? 'a lock was' : `${dead.length} locks were`} left by processes that are dead`,
        fix: 'nothing has to be done: the next program that needs one breaks it',
        repair: () => sweepLocks(folder, tickets, readdirSync(folder), lockWait(1000)),
      },
    ];
  },
};
