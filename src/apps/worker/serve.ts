import { Fault } from '../../base/fault.ts';
import { serveTasks } from '../../hosts/workers/serve-tasks.ts';

/** Serves tasks as a worker until the parent closes the channel; refuses to be one for anybody else. */
export async function serveAsWorker(...[handle, options]: Parameters<typeof serveTasks>): Promise<number> {
  if (process.send === undefined)
    throw new Fault('USAGE_ARGUMENTS', 'pincer starts workers itself', { hint: 'see pincer --help' });
  serveTasks(handle, options);
  return new Promise(() => {}); // the end of the channel ends the process
}
