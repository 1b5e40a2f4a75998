/** Where engines answer, and which engine it is that answers: told by itself, never by the name of its socket. */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { Fault } from '../../../base/fault.ts';
import { engineAt, EngineError, type Engine } from './engine.ts';

export type EngineName = 'docker' | 'podman';

/** What of the environment says where an engine is. */
export interface EnginePlaces {
  /** The operator's own word; then no other place is looked at. */
  readonly socket: string | undefined;
  /** DOCKER_HOST, and CONTAINER_HOST for podman. */
  readonly dockerHost?: string | undefined;
  readonly containerHost?: string | undefined;
  /** XDG_RUNTIME_DIR. */
  readonly runtimeDir?: string | undefined;
}

/** An engine that answered. */
export interface FoundEngine {
  readonly engine: Engine;
  readonly name: EngineName;
  /** Its own version, such as `20.10.24`. */
  readonly version: string;
}

/** The oldest API with all that is asked for; a newer one is spoken only where the engine has dropped this. */
const SPOKEN = '1.41';
const PATIENCE_MS = 15_000;

/** The sockets that are tried, in this order. A host that is no Unix socket is a fault: nothing goes over a network. */
export function candidates(name: EngineName, places: EnginePlaces): string[] {
  if (places.socket !== undefined) return [unixPath(places.socket, 'sandbox.docker.socket')];
  const own = name === 'docker' ? places.dockerHost : places.containerHost;
  const variable = name === 'docker' ? 'DOCKER_HOST' : 'CONTAINER_HOST';
  if (own !== undefined && own !== '') return [unixPath(own, variable)];
  const { runtimeDir } = places;
  const inRuntime = (file: string) => (runtimeDir === undefined || runtimeDir === '' ? [] : [join(runtimeDir, file)]);
  return name === 'docker'
    ? ['/var/run/docker.sock', '/run/docker.sock', ...inRuntime('docker.sock')]
    : [...inRuntime('podman/podman.sock'), '/run/podman/podman.sock', '/var/run/podman/podman.sock'];
}

function unixPath(text: string, from: string): string {
  const path = text.replace(/^unix:\/\/(?=\/)/u, '');
  if (path.startsWith('/')) return path;
  throw new Fault('SANDBOX_UNAVAILABLE', `${from} is ${JSON.stringify(text)}, which is no Unix socket`, {
    hint: 'name a socket of this machine, such as unix:///var/run/docker.sock',
  });
}

/** The engine of this name that answers first; a fault says where was looked and what to do. */
export async function findEngine(name: EngineName, places: EnginePlaces): Promise<FoundEngine> {
  const tried: string[] = [];
  for (const socket of candidates(name, places)) {
    if (statSync(socket, { throwIfNoEntry: false })?.isSocket() !== true) {
      tried.push(`${socket}: no socket is there`);
      continue;
    }
    try {
      const found = await meet(socket);
      if (found.name === name) return found;
      tried.push(`${socket}: ${found.name} answers there`);
    } catch (error) {
      if (!(error instanceof EngineError)) throw error;
      tried.push(`${socket}: ${reachable(error)}`);
    }
  }
  throw new Fault('SANDBOX_UNAVAILABLE', `${name} is not available (${tried.join('; ')})`, {
    hint: START[name],
    details: { tried },
  });
}

const START: Readonly<Record<EngineName, string>> = {
  docker:
    'run "apt install docker.io" and "systemctl start docker", and add this user to the group "docker", or set sandbox.docker.socket; nothing was run on this machine instead',
  podman:
    'run "apt install podman catatonit" and "systemctl start podman.socket" (with --user for one of your own, or "podman system service --time=0"), or set sandbox.docker.socket; nothing was run on this machine instead',
};

function reachable({ message, cause }: EngineError): string {
  const code = (cause as NodeJS.ErrnoException | undefined)?.code;
  if (code === 'EACCES') return 'this user may not speak to it';
  return code === 'ECONNREFUSED' ? 'no engine answers there' : message;
}

/** Asks who answers at a socket. */
export async function meet(socket: string): Promise<FoundEngine> {
  const told = (await engineAt(socket, '').ask('GET', '/version', { timeoutMs: PATIENCE_MS })) as {
    readonly Version?: unknown;
    readonly ApiVersion?: unknown;
    readonly MinAPIVersion?: unknown;
    readonly Components?: unknown;
  };
  const { Version, ApiVersion, MinAPIVersion, Components } = told ?? {};
  if (typeof ApiVersion !== 'string' || !Array.isArray(Components))
    throw new EngineError(0, 'what answers is no container engine');
  const isPodman = Components.some((part: { Name?: unknown }) => /^podman/iu.test(String(part.Name)));
  return {
    engine: engineAt(socket, spokenVersion(ApiVersion, typeof MinAPIVersion === 'string' ? MinAPIVersion : SPOKEN)),
    name: isPodman ? 'podman' : 'docker',
    version: String(Version),
  };
}

/** The version to speak with an engine that knows these. */
export function spokenVersion(newest: string, oldest: string): string {
  if (compare(newest, SPOKEN) < 0)
    throw new EngineError(
      0,
      `the engine speaks API ${newest}, and ${SPOKEN} is the oldest that has all that is needed`,
    );
  return compare(oldest, SPOKEN) > 0 ? oldest : SPOKEN;
}

function compare(a: string, b: string): number {
  const [aMajor = 0, aMinor = 0] = a.split('.').map(Number);
  const [bMajor = 0, bMinor = 0] = b.split('.').map(Number);
  return aMajor - bMajor || aMinor - bMinor;
}
