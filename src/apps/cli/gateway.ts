/** What the commands that speak to the daemon share: the way to it, who asks, and how failures are told. */
import { commandLineAuthor } from '../../config/agent.ts';
import { stateFolder } from '../../config/state.ts';
import type { Caller } from '../../wire/exec.ts';
import { connectGateway, type ConnectOptions } from '../client/connect.ts';
import type { Client } from '../client/socket.ts';
import { reportFailure } from './failure.ts';
import { BrokenPipe, type Output } from '../terminal/output.ts';
import { asksForHelp, errorsAsJson } from './arguments.ts';
import { ownProgram } from './own-program.ts';

/** The daemon of the state folder; started from this very program when none runs. */
export function openGateway(start = true, options: Pick<ConnectOptions, 'silenceMs'> = {}): Promise<Client> {
  const program = ownProgram();
  return connectGateway({ stateDir: stateFolder(), start, ...(program === undefined ? {} : { program }), ...options });
}

/** The person at the command line, who works for an agent. */
export function operatorCaller(agent?: string, conversation?: string): Caller {
  return { ...commandLineAuthor(agent), operator: true, ...(conversation === undefined ? {} : { conversation }) };
}

/** A command of the daemon: its help, its work, and its failures in the form that was asked for. */
export async function gatewayCommand(
  argv: readonly string[],
  output: Output,
  { help, errorJson = errorsAsJson(argv, output) }: { readonly help: () => string; readonly errorJson?: boolean },
  work: () => Promise<number>,
): Promise<number> {
  try {
    if (!asksForHelp(argv)) return await work();
    output.out(help());
    return 0;
  } catch (error) {
    if (error instanceof BrokenPipe) throw error;
    return reportFailure(error, errorJson, output);
  }
}

/** Does something with the daemon, and lets go of it. */
export async function withGateway<T>(work: (client: Client) => Promise<T>, start = true): Promise<T> {
  const client = await openGateway(start);
  try {
    return await work(client);
  } finally {
    client.close();
  }
}
