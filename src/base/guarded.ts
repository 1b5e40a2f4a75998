/** The work of a timer or an event, whose error would end the process: `onTrouble` receives it. */
export function guarded<A extends readonly unknown[]>(
  onTrouble: (error: unknown) => void,
  work: (...args: A) => void,
): (...args: A) => void {
  return (...args) => {
    try {
      work(...args);
    } catch (error) {
      onTrouble(error);
    }
  };
}
