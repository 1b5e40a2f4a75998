// @ts-check
/** Preloaded into a server: at SIGUSR2 it collects all garbage and writes what is left of its memory to stderr. */
process.on('SIGUSR2', () => {
  const collect = /** @type {{ gc?: () => void }} */ (globalThis).gc;
  collect?.();
  collect?.(); // what the first one finalised
  const { heapUsed, external } = process.memoryUsage();
  process.stderr.write(`live memory: ${heapUsed + external} bytes\n`);
});
