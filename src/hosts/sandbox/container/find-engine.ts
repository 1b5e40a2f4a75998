/** Finds the socket of an engine. The engine identifies itself; the name of its socket does not count. */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { Fault } from '../../../base/fault.ts';
import { engineAt, EngineError, type Engine } from './engine.ts';

export type EngineName = 'docker' | 'podman';

/** Settings and environment variables that locate an engine. */
export interface EnginePlaces {
  /** Set by the operator; no other socket is tried then. */
  readonly socket: string | undefined;
  /** DOCKER_HOST, and CONTAINER_HOST for podman. */
  readonly dockerHost?: string | undefined;
  readonly containerHost?: string | undefined;
  /** XDG_RUNTIME_DIR. */
  readonly runtimeDir?: string | undefined;
}

export interface FoundEngine {
  readonly engine: Engine;
  readonly name: EngineName;
  /** The version of the engine, such as `20.10.24`. */
  readonly version: string;
}

/** The oldest API version with all that pincer needs; a newer one is used only where the engine no longer supports it. */
const API_VERSION = '1.41';
const TIMEOUT_MS = 15_000;

/** The sockets to try, in order. A host that is not a Unix socket is a fault: pincer uses no engine over a network. */
export function socketCandidates(name: EngineName, places: EnginePlaces): string[] {
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
  throw new Fault('SANDBOX_UNAVAILABLE', `${from} is ${JSON.stringify(text)}, which is not a Unix socket`, {
    hint: 'name a socket of this machine, such as unix:///var/run/docker.sock',
  });
}

/** The first engine of this name that answers; throws a fault with all sockets that were tried. */
export async function findEngine(name: EngineName, places: EnginePlaces): Promise<FoundEngine> {
  const tried: string[] = [];
  for (const socket of socketCandidates(name, places)) {
    if (statSync(socket, { throwIfNoEntry: false })?.isSocket() !== true) {
      tried.push(`${socket}: no such socket`);
      continue;
    }
    try {
      const found = await identifyEngine(socket);
      if (found.name === name) return found;
      tried.push(`${socket}: ${found.name} answers there`);
    } catch (error) {
      if (!(error instanceof EngineError)) throw error;
      tried.push(`${socket}: ${reasonOf(error)}`);
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
    'run "apt install podman catatonit" and "systemctl start podman.socket" (with --user for rootless, or "podman system service --time=0"), or set sandbox.docker.socket; nothing was run on this machine instead',
};

function reasonOf({ message, cause }: EngineError): string {
  const code = (cause as NodeJS.ErrnoException | undefined)?.code;
  if (code === 'EACCES') return 'permission denied';
  return code === 'ECONNREFUSED' ? 'no engine listens on it' : message;
}

export async function identifyEngine(socket: string): Promise<FoundEngine> {
  const answer = (await engineAt(socket, '').ask('GET', '/version', { timeoutMs: TIMEOUT_MS })) as {
    readonly Version?: unknown;
    readonly ApiVersion?: unknown;
    readonly MinAPIVersion?: unknown;
    readonly Components?: unknown;
  };
  const { Version, ApiVersion, MinAPIVersion, Components } = answer ?? {};
  if (typeof ApiVersion !== 'string' || !Array.isArray(Components)) throw new EngineError(0, 'not a container engine');
  const isPodman = Components.some((part: { Name?: unknown }) => /^podman/iu.test(String(part.Name)));
  return {
    engine: engineAt(
      socket,
      negotiateVersion(ApiVersion, typeof MinAPIVersion === 'string' ? MinAPIVersion : API_VERSION),
    ),
    name: isPodman ? 'podman' : 'docker',
    version: String(Version),
  };
}

/** The API version for an engine with this range. */
export function negotiateVersion(newest: string, oldest: string): string {
  if (compare(newest, API_VERSION) < 0)
    throw new EngineError(0, `the engine has API version ${newest}; pincer needs ${API_VERSION} or newer`);
  return compare(oldest, API_VERSION) > 0 ? oldest : API_VERSION;
}

function compare(a: string, b: string): number {
  const [aMajor = 0, aMinor = 0] = a.split('.').map(Number);
  const [bMajor = 0, bMinor = 0] = b.split('.').map(Number);
  return aMajor - bMajor || aMinor - bMinor;
}
