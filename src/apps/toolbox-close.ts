/** Closes the descriptors of a dropped toolbox immediately, without waiting for garbage collection. */

const closers = new WeakMap<object, () => void>();

export function registerClose(toolbox: object, close: () => void): void {
  closers.set(toolbox, close);
}

/** Closes the files of a toolbox after its last call in progress. A later call opens them again. */
export function closeToolbox(toolbox: object): void {
  closers.get(toolbox)?.();
}
