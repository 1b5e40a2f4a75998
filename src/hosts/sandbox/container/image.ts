/** The image of a container: it is there, or it is said how to get it; nothing is ever fetched by itself. */
import { Fault } from '../../../base/fault.ts';
import { EngineError } from './engine.ts';
import type { MetEngine } from './options.ts';

/** An image that the engine has. */
export interface FoundImage {
  /** Names exactly this one, also when its name is given to another. */
  readonly id: string;
  /** Folders that it wants to be written. */
  readonly volumes: readonly string[];
}

/** Asks for the image; SANDBOX_IMAGE_MISSING where the engine does not have it. */
export async function lookAtImage({ engine, name }: MetEngine, image: string): Promise<FoundImage> {
  if (!/^[\w][\w./:@-]*$/u.test(image))
    throw new Fault('SANDBOX_IMAGE_MISSING', `${JSON.stringify(image)} is not the name of an image`, {
      hint: 'set sandbox.docker.image to a name such as debian:bookworm-slim',
    });
  try {
    const told = (await engine.ask('GET', `/images/${image}/json`)) as {
      readonly Id?: unknown;
      readonly Config?: { readonly Volumes?: Readonly<Record<string, unknown>> | null } | null;
    };
    if (typeof told.Id !== 'string') throw new EngineError(0, 'the engine did not say which image that is');
    return { id: told.Id, volumes: Object.keys(told.Config?.Volumes ?? {}) };
  } catch (error) {
    if (!(error instanceof EngineError) || error.status !== 404) throw error;
    throw new Fault('SANDBOX_IMAGE_MISSING', `${name} does not have the image ${image}`, {
      hint: `run "${name} pull ${image}", or "${name} import <file.tar> ${image}" without a network; images are never fetched by themselves`,
      details: { image },
      cause: error,
    });
  }
}
