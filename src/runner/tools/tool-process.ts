/** A process of the runner that runs the file tools inside a sandbox. */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { IncomingCall } from '../../hosts/channel/serving.ts';
import type { Welcome } from '../../hosts/process/runner-messages.ts';
import type { ToolCall } from '../../wire/tool.ts';
import { makeFolder } from '../folders.ts';
import { packAnswer } from './packing.ts';
import { type Connection, type Role, serveCalls, WELCOMED } from '../role.ts';
import { Toolbox } from './toolbox.ts';

/** The usual umask of users. That of this process is a daemon's, whose files are private. */
const USUAL_MASK = 0o022;

export class ToolProcess implements Role {
  #toolbox: Toolbox | undefined;

  constructor(connection: Connection) {
    serveCalls(connection, (call) => this.#serve(call));
  }

  /** The end of the channel has cancelled all calls. A tool writes its files in one go, so there is nothing to wait for. */
  async end(): Promise<void> {}

  async #serve({ method, params, signal }: IncomingCall): Promise<unknown> {
    if (method === 'runner.welcome') {
      const { places } = params as Welcome;
      if (places !== undefined) this.#toolbox = new Toolbox({ ...places, stateDir: madeFolder(places.stateDir) });
      return WELCOMED;
    }
    const call = params as ToolCall;
    if (this.#toolbox === undefined) throw new Error('tool.call before runner.welcome');
    process.umask(call.context.umask ?? USUAL_MASK);
    return packAnswer(await this.#toolbox.call(call, signal));
  }
}

/** The folder, or a temporary one where it cannot be created. */
function madeFolder(path: string): string {
  try {
    makeFolder(path);
    return path;
  } catch {
    return mkdtempSync(join(tmpdir(), '.pincer-state-'));
  }
}
