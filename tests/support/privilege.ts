const NOBODY = 65534;

/** Runs `work` as a user whom permissions bind: root, who may do anything, steps down for the time. */
export function withoutPrivilege<T>(work: () => T): T {
  if (process.geteuid?.() !== 0) return work();
  process.seteuid?.(NOBODY);
  try {
    return work();
  } finally {
    process.seteuid?.(0);
  }
}
