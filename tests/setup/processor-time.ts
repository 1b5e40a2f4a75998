/** Runs before each test file and attaches the processor time that the file took to its report. */
import { afterAll } from 'vitest';
import { processorSeconds } from '../../scripts/processor-time.mjs';

/** What earlier files in the same process have taken. */
const state = globalThis as { reportedProcessorSeconds?: number };

// biome-ignore lint/correctness/noEmptyPattern: vitest reads the names of fixtures from the first parameter.
afterAll(({} /* oxlint-disable-line no-empty-pattern */, file) => {
  const total = processorSeconds();
  if (total === undefined) return;
  Object.assign(file.meta, { processorSeconds: total - (state.reportedProcessorSeconds ?? 0) });
  state.reportedProcessorSeconds = total;
});
