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
