/** The end of a toolbox that is dropped: its descriptors are closed at once, and not when memory is collected. */

const closers = new WeakMap<object, () => void>();

/** Says how a toolbox is closed. */
export function registerClose(toolbox: object, close: () => void): void {
  closers.set(toolbox, close);
}

/** Closes what a toolbox holds, after the last call that is under way. A later call opens what it needs again. */
export function closeToolbox(toolbox: object): void {
  closers.get(toolbox)?.();
}
