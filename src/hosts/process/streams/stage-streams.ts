/** Which streams the programs of a launch have. */
import type { InputStream, Launch, OutputStream, StageStreams } from '../launch.ts';

export type StreamName = InputStream | OutputStream;

/** The descriptors of each program; in a plain pipeline each reads what the one before it writes. */
export function stageStreamsOf({ stages, streams, stdin }: Launch): readonly StageStreams[] {
  const last = stages.length - 1;
  return stages.map(
    (stage, i): StageStreams =>
      stage.streams ?? {
        in: i > 0 ? 'previous' : stdin === 'open' ? 'in' : 'null',
        out: i < last ? 'next' : 'out',
        err: streams === 'apart' ? 'err' : 'out',
      },
  );
}

/** The streams of a launch. One that requests a terminal has the same streams where it runs with pipes instead. */
export function streamsOf(launch: Launch): readonly StreamName[] {
  const { streams, stdin, pty, stages } = launch;
  if (pty !== undefined) return ['out', 'in'];
  if (stages[0].streams === undefined)
    return ['out', ...(streams === 'apart' ? (['err'] as const) : []), ...(stdin === 'open' ? (['in'] as const) : [])];
  const used = stageStreamsOf(launch).flatMap((each) => [each.in, each.out, each.err]);
  return [...new Set(used.filter(isStream))];
}

export function isInput(name: StreamName): name is InputStream {
  return name.startsWith('in');
}

export function isStream(name: StageStreams[keyof StageStreams]): name is StreamName {
  return name !== 'previous' && name !== 'next' && name !== 'null';
}
