/** The agent and the client of a command line that names neither. */
import { DEFAULT_AGENT } from '../wire/actor.ts';
import { clientName, OPERATOR_CLIENT } from '../wire/client-name.ts';

type Environment = Readonly<Record<string, string | undefined>>;

export function agentName(env: Environment = process.env): string {
  return env['PINCER_AGENT'] || DEFAULT_AGENT;
}

/** The client of a command in a session without `PINCER_CLIENT`. */
const SESSION_CLIENT = 'session';

/** `PINCER_CLIENT`, else `session` inside a session, else `you`. */
export function commandLineClient(env: Environment = process.env): string {
  const { PINCER_CLIENT: client, PINCER_SESSION: session } = env;
  return client || session ? clientName(client, SESSION_CLIENT) : OPERATOR_CLIENT;
}

/** Whether a person is at the command line, who may undo the changes of all clients. */
export function isOperator(env: Environment = process.env): boolean {
  return commandLineClient(env) === OPERATOR_CLIENT;
}

export function commandLineAuthor(agent = agentName(), env: Environment = process.env) {
  return { agent, client: commandLineClient(env) };
}
