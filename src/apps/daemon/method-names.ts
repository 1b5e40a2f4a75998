/** The names of all methods, to recognise one that a client sends. */
import type { Method } from '../../wire/rpc.ts';

const METHODS: Readonly<Record<Method, true>> = {
  'exec.start': true,
  'session.started': true,
  'session.list': true,
  'session.poll': true,
  'session.log': true,
  'session.input': true,
  'session.interrupt': true,
  'session.kill': true,
  'session.background': true,
  'session.clear': true,
  'session.screen': true,
  'session.resize': true,
  'session.wait': true,
  'session.follow': true,
  'approval.list': true,
  'approval.count': true,
  'approval.show': true,
  'approval.resolve': true,
  'approval.outcome': true,
  'command.say': true,
  'policy.explain': true,
  'policy.posture': true,
  'sandbox.tool': true,
  'sandbox.explain': true,
  'sandbox.list': true,
  'sandbox.recreate': true,
  'audit.list': true,
  'audit.verify': true,
  'notice.list': true,
  'notice.follow': true,
  'daemon.status': true,
  'daemon.stop': true,
};

/** Whether the daemon has this method. */
export function isMethod(name: string): name is Method {
  return Object.hasOwn(METHODS, name);
}
