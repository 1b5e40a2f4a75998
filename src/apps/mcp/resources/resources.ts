/**
 * The files of a workspace as MCP resources: listed, read by address, and watched. All connections of a workspace share one
 * instance; the code for requests is loaded with the first request.
 */
import type { Server } from '@modelcontextprotocol/server';
import { localFiles } from '../../../hosts/files/files.ts';
import type { Files } from '../../../hosts/files/shape.ts';
import type { Toolbox } from '../../assemble.ts';
import { once } from '../../once.ts';
import type { Serving } from '../options.ts';
import type { NamesWatch } from './names-watch.ts';
import type * as Offered from './offered.ts';
import type { FileWatches, Subscriptions } from './watches.ts';

export interface ResourceOptions {
  readonly workspace: string;
  readonly stateDir: string;
  /** The current tools for listeners; the MCP package answers `subscriptions/listen` before a server sees it. */
  readonly toolbox: () => Promise<Pick<Toolbox, 'names' | 'sandboxed' | 'node'>>;
  readonly log: (message: string) => void;
}

/** The filter of `subscriptions/listen` in the 2026 era. */
export interface ListenFilter {
  readonly resourceSubscriptions?: readonly string[];
  readonly resourcesListChanged?: boolean;
}

/** Forwards changes to clients. */
export interface ResourceEvents {
  resourceUpdated(uri: string): void;
  resourcesChanged(): void;
}

export interface WorkspaceResources {
  /** Registers the handlers on a server before it is connected; returns the function that stops its watches. */
  readonly register: (server: Server, serving: Serving) => () => void;
  /**
   * Starts the watches of a listening client; returns the function that stops them. The MCP package answers
   * `subscriptions/listen` before a server sees it, so the owner of the transport must forward events. Without `events`
   * all registered lasting servers are notified.
   */
  readonly listen: (filter: ListenFilter, events?: ResourceEvents) => () => void;
}

/** Loaded with the first request. */
interface Parts {
  readonly files: Files;
  readonly offered: typeof Offered;
  readonly watches: FileWatches;
  readonly names: NamesWatch;
  readonly subscriptions: () => Subscriptions;
}

export function workspaceResources(options: ResourceOptions): WorkspaceResources {
  const { workspace, stateDir, toolbox, log } = options;
  const parts = once(async (): Promise<Parts> => {
    const [{ FileWatches, Subscriptions }, { NamesWatch }, offered] = await Promise.all([
      import('./watches.ts'),
      import('./names-watch.ts'),
      import('./offered.ts'),
    ]);
    const files = localFiles({ cwd: workspace, stateDir, workspaceOnly: true, hardLinks: 'refuse' });
    return {
      files,
      offered,
      watches: new FileWatches(),
      names: new NamesWatch(files),
      subscriptions: () => new Subscriptions(),
    };
  });
  const unheard = (error: unknown): void => log(`a notice was not sent: ${String(error)}`);
  const lasting = new Set<Server>();
  const toServers: ResourceEvents = {
    resourceUpdated(uri) {
      for (const server of lasting) server.sendResourceUpdated({ uri }).catch(unheard);
    },
    resourcesChanged() {
      for (const server of lasting) server.sendResourceListChanged().catch(unheard);
    },
  };

  return {
    register(server, serving) {
      const subscribed = once(async () => (await parts()).subscriptions());
      let unlisten: (() => void) | undefined;
      let ended = false;
      if (serving.lasting) lasting.add(server);
      server.setRequestHandler('resources/list', async ({ params }) => {
        const [{ pageOfResources }, { withProtocolErrors }, { files, names, offered }] = await Promise.all([
          import('./pages.ts'),
          import('./failure.ts'),
          parts(),
        ]);
        return withProtocolErrors(undefined, async () => {
          if (!offered.offersResources(await serving.toolbox())) return { resources: [] };
          const { folders, resources, nextCursor } = pageOfResources(files, params?.cursor);
          if (serving.lasting && !ended) {
            // In the 2026 era only listening clients are notified.
            if (serving.era === 'legacy')
              unlisten ??= names.listen(() => void server.sendResourceListChanged().catch(unheard));
            names.remember(folders);
          }
          return { resources: [...resources], ...(nextCursor === undefined ? {} : { nextCursor }) };
        });
      });
      server.setRequestHandler('resources/templates/list', async () => {
        const [{ withProtocolErrors }, { offered }] = await Promise.all([import('./failure.ts'), parts()]);
        return withProtocolErrors(undefined, async () => ({
          resourceTemplates: offered.offersResources(await serving.toolbox()) ? [TEMPLATE] : [],
        }));
      });
      server.setRequestHandler('resources/read', async ({ params: { uri } }) => {
        const [{ readResource }, { withProtocolErrors, resourceNotFound }, { files }] = await Promise.all([
          import('./read.ts'),
          import('./failure.ts'),
          parts(),
        ]);
        const content = await withProtocolErrors(uri, async () =>
          readResource({ files, stateDir }, await serving.toolbox(), uri),
        );
        if (content === undefined) throw resourceNotFound(uri);
        return { contents: [content] };
      });
      server.setRequestHandler('resources/subscribe', async ({ params: { uri } }) => {
        const [{ withProtocolErrors }, { files, watches, offered }, mine] = await Promise.all([
          import('./failure.ts'),
          parts(),
          subscribed(),
        ]);
        await withProtocolErrors(uri, async () => {
          offered.refuseUnoffered(await serving.toolbox(), uri);
          if (ended) return;
          mine.add(uri, () => watches.add(files, uri, () => void server.sendResourceUpdated({ uri }).catch(unheard)));
        });
        return {};
      });
      server.setRequestHandler('resources/unsubscribe', async ({ params: { uri } }) => {
        (await subscribed()).remove(uri);
        return {};
      });
      return () => {
        ended = true;
        lasting.delete(server);
        unlisten?.();
        subscribed().then((mine) => mine.clear(), unheard);
      };
    },

    listen(filter, events = toServers) {
      const ends: (() => void)[] = [];
      let ended = false;
      const begin = async (): Promise<void> => {
        const [{ files, watches, names, subscriptions, offered }, tools] = await Promise.all([parts(), toolbox()]);
        if (ended) return;
        const mine = subscriptions();
        ends.push(() => mine.clear());
        for (const uri of filter.resourceSubscriptions ?? []) {
          try {
            offered.refuseUnoffered(tools, uri);
            mine.add(uri, () => watches.add(files, uri, () => events.resourceUpdated(uri)));
          } catch (error) {
            log(`${uri} is not watched: ${(error as Error).message}`);
          }
        }
        if (filter.resourcesListChanged !== true || !offered.offersResources(tools)) return;
        const { pageOfFiles } = await import('./walk.ts');
        if (ended) return;
        ends.push(names.listen(() => events.resourcesChanged()));
        names.remember(pageOfFiles(files, '', MOST_LOOKED).folders);
      };
      begin().catch((error: unknown) => log(`resources are not watched: ${String(error)}`));
      return () => {
        ended = true;
        for (const end of ends.splice(0)) end();
      };
    },
  };
}

const MOST_LOOKED = 2000;

const TEMPLATE = {
  uriTemplate: 'oc://{+address}',
  name: 'workspace',
  title: 'A file of the workspace, or a part of it',
  description:
    'oc://FILE for a file, oc://FILE/SECTION/ITEM/FIELD for a part of a Markdown, JSON, JSONL or YAML file. ' +
    'Quote a path with folders, oc://"folder/file.md"/section, and percent-encode characters that a URI does not allow.',
};
