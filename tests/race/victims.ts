/** Those who are attacked: two that look first and open then, and the library's own ways to a file. */
import { realpathSync, readFileSync, writeFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import { assembleTools } from '../../src/apps/assemble.ts';
import { Fault } from '../../src/base/fault.ts';
import { localFiles } from '../../src/hosts/files/files.ts';
import { giveWay } from '../support/until.ts';
import type { Ground } from '../escapes/ground.ts';
import type { ToolCall } from '../escapes/program.ts';

/** One try: the text that was read or the word for what was done, or the code of a refusal. */
export type Victim = (turn: number) => Promise<string> | string;

/** Checks where the path really leads, and then opens it by its name. */
export function naiveReader({ ws }: Ground, name: string): Victim {
  return (turn) => whatHappened(() => readFileSync(checked(ws, name, turn), 'utf8'));
}

/** Checks where the path really leads, and then writes to it by its name. */
export function naiveWriter({ ws }: Ground, name: string): Victim {
  return (turn) =>
    whatHappened(() => {
      writeFileSync(checked(ws, name, turn), 'INSIDE\n');
      return 'written';
    });
}

/** Now and then it takes a moment, in which the attacker has its turn also where both share one processor. */
function checked(ws: string, name: string, turn: number): string {
  const path = join(ws, name);
  if (!realpathSync(path).startsWith(ws + sep)) throw new Fault('FS_OUTSIDE_WORKSPACE', `${name} is outside`);
  if (turn % 4 === 3) giveWay();
  return path;
}

/** What `work` gives, or the code of what stopped it. */
function whatHappened(work: () => string): string {
  try {
    return work();
  } catch (error) {
    const { code } = error as { code?: unknown };
    if (typeof code !== 'string') throw error;
    return code;
  }
}

/** Opens and reads through the boundary. */
export function confinedReader(ground: Ground, name: string): Victim {
  const files = localFiles({ cwd: ground.ws, stateDir: ground.state });
  return () =>
    whatHappened(() => {
      const file = files.openPath(name);
      try {
        return new TextDecoder().decode(file.readAll());
      } finally {
        file.close();
      }
    });
}

/** Calls tools in turn, as an agent does. Without flushing, so that the attacker is met more often. */
export function agent(ground: Ground, calls: readonly ToolCall[]): Victim {
  const toolbox = assembleTools({ workspace: ground.ws, stateDir: ground.state, durable: false });
  return async (turn) => {
    const { tool, args } = calls[turn % calls.length]!;
    const result = await toolbox.call(tool, args);
    if (result.isError) return String(result.details['code']);
    return result.content.map((part) => (part.type === 'text' ? part.text : '')).join('\n');
  };
}
