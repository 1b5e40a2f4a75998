/**
 * The spawner: a small process that starts all programs. Node's spawn copies the page tables of the process that asks,
 * which takes the longer the more memory it has; this one has little. It ends when its launcher does, however that ends,
 * and all that it started ends with it.
 */
import { rmSync } from 'node:fs';
import { Socket } from 'node:net';
import { closeInherited } from '../hosts/process/inherited.ts';
import { lineReader, type Order, type Report } from '../hosts/process/protocol.ts';
import { useOwnPackagesOnly } from '../hosts/process/own-packages.ts';
import { createEngine } from './engine.ts';

/** The descriptor of the control channel. */
const CONTROL = 3;

closeInherited(CONTROL + 1);
useOwnPackagesOnly();
process.on('SIGUSR1', () => {}); // otherwise it opens a debugger
const control = new Socket({ fd: CONTROL, readable: true, writable: true });
const engine = createEngine((report: Report) => {
  if (!control.destroyed) control.write(`${JSON.stringify(report)}\n`);
}, process.argv[1]);
let socket: string | undefined;
let leaving = false;

control.setEncoding('utf8');
const read = lineReader((value) => {
  const order = value as Order;
  if (order.type === 'hello' && order.single !== true) socket = order.socket;
  engine.obey(order);
});
control.on('data', (text) => read(String(text)));
control.on('error', leave);
control.on('close', leave);
control.on('end', leave);
for (const signal of ['SIGINT', 'SIGHUP', 'SIGTERM'] as const) process.on(signal, leave);

function leave(): void {
  if (leaving) return;
  leaving = true;
  engine.end().then(
    () => {
      if (socket !== undefined) rmSync(socket, { force: true });
      process.exit(0);
    },
    () => process.exit(1),
  );
}
