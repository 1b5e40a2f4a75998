import { computed, signal } from '@preact/signals';
import type { NodeInfo } from '../../wire/nodes/node.ts';

export const nodes = signal<readonly NodeInfo[]>([]);
export const nodesLoaded = signal(false);

/** Machines that wait for a person to compare their digits. */
export const pendingNodes = computed(() => nodes.value.filter(({ state }) => state === 'pending'));
