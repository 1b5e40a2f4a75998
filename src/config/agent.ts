/** Who works here, when the command line does not say. */
import { DEFAULT_AGENT } from '../wire/actor.ts';
import { clientName, OPERATOR_CLIENT } from '../wire/client-name.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** The agent: `PINCER_AGENT`, else `main`. */
export function agentName(env: Environment = process.env): string {
  return env['PINCER_AGENT'] || DEFAULT_AGENT;
}

/** A command of a session, where `PINCER_CLIENT` does not name the client that started it. */
const SESSION_CLIENT = 'session';

/** The client at the command line: `you`, unless a command of a session runs it or `PINCER_CLIENT` names another. */
export function commandLineClient(env: Environment = process.env): string {
  const { PINCER_CLIENT: said, PINCER_SESSION: session } = env;
  return said || session ? clientName(said, SESSION_CLIENT) : OPERATOR_CLIENT;
}

/** Whether a person is at the command line, who may take back what others did. */
export function isOperator(env: Environment = process.env): boolean {
  return commandLineClient(env) === OPERATOR_CLIENT;
}

/** Who writes at the command line. */
export function commandLineAuthor(agent = agentName(), env: Environment = process.env) {
  return { agent, client: commandLineClient(env) };
}
