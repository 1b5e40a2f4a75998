const clock = /* @__PURE__ */ new Int32Array(new SharedArrayBuffer(4));

/** Blocks this thread. */
export function sleep(ms: number): void {
  Atomics.wait(clock, 0, 0, ms);
}
