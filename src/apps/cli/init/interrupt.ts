/** Ctrl-C between the questions of a wizard. */

/** The person has stopped the wizard. */
export class Cancelled extends Error {}

/** Finishes short work before Ctrl-C counts, so that nothing is left half done; says whether it was pressed. */
export async function withoutInterrupt<T>(work: () => Promise<T>): Promise<{ value: T; interrupted: boolean }> {
  let interrupted = false;
  const note = (): void => {
    interrupted = true;
  };
  process.on('SIGINT', note);
  try {
    return { value: await work(), interrupted };
  } finally {
    process.off('SIGINT', note);
  }
}

/** Finishes work whose outcome Ctrl-C makes worthless: it may have ended what the work had started. */
export async function unlessInterrupted<T>(work: () => Promise<T>): Promise<T> {
  const {
    value: [outcome],
    interrupted,
  } = await withoutInterrupt(() => Promise.allSettled([work()]));
  if (interrupted) throw new Cancelled();
  if (outcome.status === 'rejected') throw outcome.reason;
  return outcome.value;
}
