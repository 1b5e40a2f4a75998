/**
 * Caches whether a backend works on this machine. A result is valid while the backend's `dependsOn` is unchanged, and only for
 * a short time, because some changes, such as of an image, are not cheap to detect.
 */
import { Fault } from '../../../base/fault.ts';
import type { Backend, Probe } from '../backend.ts';

/** How long a successful probe is valid. */
export const PROBE_VALID_MS = 30_000;

export interface ProbeCache {
  /** Probes the backend and ignores the cache. */
  probe(backend: Backend): Promise<Probe>;
  /** Throws a fault where the backend does not work; probes it where there is no valid result. */
  requireWorking(backend: Backend): Promise<void>;
  forget(backend: Backend): void;
}

export function createProbeCache(now: () => number): ProbeCache {
  const cache = new WeakMap<Backend, { readonly on: string; readonly at: number }>();

  async function probe(backend: Backend): Promise<Probe> {
    cache.delete(backend);
    try {
      const [on, at] = [await backend.dependsOn(), now()];
      const found = await backend.probe();
      if (found.ok) cache.set(backend, { on, at });
      return found;
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      return { ok: false, message: error.message, hint: error.hint ?? '' };
    }
  }

  async function isValid(backend: Backend): Promise<boolean> {
    const cached = cache.get(backend);
    if (cached === undefined) return false;
    const age = now() - cached.at;
    // A negative age means that the clock was set back.
    return age >= 0 && age < PROBE_VALID_MS && cached.on === (await backend.dependsOn());
  }

  return {
    probe,
    async requireWorking(backend) {
      if (await isValid(backend)) return;
      const found = await probe(backend);
      if (!found.ok) throw new Fault('SANDBOX_UNAVAILABLE', found.message, { hint: found.hint });
    },
    forget: (backend) => void cache.delete(backend),
  };
}
