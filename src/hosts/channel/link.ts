import type { Channel } from './channel.ts';

/** One life of a connection to a node. */
export interface Link {
  readonly epoch: string;
  readonly channel: Channel;
  readonly down: Promise<string>;
  close(reason: string): void;
}
