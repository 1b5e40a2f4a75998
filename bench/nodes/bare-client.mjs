// @ts-check
/** usage: node bare-client.mjs PORT: sends what its parent asks for. */
import { spawn } from 'node:child_process';
import { WebSocket } from 'ws';

const MESSAGE = 64 * 1024;
const FULL = 512 * 1024;
const block = Buffer.alloc(MESSAGE);
const socket = new WebSocket(`wss://127.0.0.1:${process.argv[2]}`, {
  rejectUnauthorized: false,
  minVersion: 'TLSv1.3',
  perMessageDeflate: false,
  generateMask: (mask) => void mask.fill(0),
});
socket.on('open', () => process.send?.({ open: true }));

/** @param {number} bytes */
function sendZeros(bytes) {
  if (bytes <= 0) return;
  const part = Math.min(bytes, MESSAGE);
  const isFull = socket.bufferedAmount > FULL;
  socket.send(block.subarray(0, part), { binary: true }, () => isFull && sendZeros(bytes - part));
  if (!isFull) sendZeros(bytes - part);
}

/** @param {string} command */
function sendOutput(command) {
  const child = spawn('/bin/sh', ['-c', command], { stdio: ['ignore', 'pipe', 'inherit'] });
  child.stdout.on('data', (data) => {
    socket.send(data, { binary: true }, () => child.stdout.isPaused() && child.stdout.resume());
    if (socket.bufferedAmount > FULL) child.stdout.pause();
  });
}

process.on('message', (/** @type {{ what: string, bytes: number }} */ { what, bytes }) => {
  if (what === 'memory') sendZeros(bytes);
  else sendOutput(what);
});
