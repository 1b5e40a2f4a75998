/** The user stopped the wizard with Ctrl-C. */
export class Cancelled extends Error {}

/** Finishes the work before it handles Ctrl-C, so that no change is left incomplete. */
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

/** Discards the result after Ctrl-C, because the signal may have ended child processes of the work. */
export async function unlessInterrupted<T>(work: () => Promise<T>): Promise<T> {
  const {
    value: [outcome],
    interrupted,
  } = await withoutInterrupt(() => Promise.allSettled([work()]));
  if (interrupted) throw new Cancelled();
  if (outcome.status === 'rejected') throw outcome.reason;
  return outcome.value;
}
