/**
 * Whether a backend works on this machine. The result of a probe holds only while what it depends on is unchanged, and not
 * for long: a kernel setting or an image can change without a trace that is cheap to read.
 */
import { Fault } from '../../../base/fault.ts';
import type { Backend, Probe } from '../backend.ts';

/** How long a successful probe is believed. */
export const PROOF_MS = 30_000;

export interface Proofs {
  /** Probes the backend, whatever was found before. */
  probe(backend: Backend): Promise<Probe>;
  /** Throws the fault of a backend that does not work; probes it where no successful probe holds. */
  prove(backend: Backend): Promise<void>;
  /** The next proof needs a probe. */
  forget(backend: Backend): void;
}

export function createProofs(now: () => number): Proofs {
  const proven = new WeakMap<Backend, { readonly on: string; readonly at: number }>();

  async function probe(backend: Backend): Promise<Probe> {
    proven.delete(backend);
    try {
      const [on, at] = [await backend.dependsOn(), now()];
      const found = await backend.probe();
      if (found.ok) proven.set(backend, { on, at });
      return found;
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      return { ok: false, message: error.message, hint: error.hint ?? '' };
    }
  }

  async function holds(backend: Backend): Promise<boolean> {
    const proof = proven.get(backend);
    if (proof === undefined) return false;
    const age = now() - proof.at;
    // A clock that was set back makes no proof younger.
    return age >= 0 && age < PROOF_MS && proof.on === (await backend.dependsOn());
  }

  return {
    probe,
    async prove(backend) {
      if (await holds(backend)) return;
      const found = await probe(backend);
      if (!found.ok) throw new Fault('SANDBOX_UNAVAILABLE', found.message, { hint: found.hint });
    },
    forget: (backend) => void proven.delete(backend),
  };
}
