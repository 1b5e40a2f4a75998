import { useEffect, useState } from 'preact/hooks';
import { navigate, place } from '../../router.ts';
import { onEvents } from '../../state/events.ts';
import { link } from '../../state/link.ts';
import { useLoaded } from '../../state/loaded.ts';
import { AddressBar } from './address-bar.tsx';
import { fileAddress, filesPath } from './address.ts';
import { outlineDetails } from './answers.ts';
import { loadChanges } from './changes-state.ts';
import { type Inspected, inspect } from './inspect.ts';
import { callTool } from './operator-tool.ts';
import { Outline } from './outline.tsx';
import { SetValue } from './set-value.tsx';
import { SourceView } from './source-view.tsx';
import { Tree } from './tree.tsx';
import { entryAt, folders, reloadTree, reveal } from './tree-state.ts';

/** Deeper places are found by their address. */
const OUTLINE_DEPTH = 8;

/** Tree, text and outline of the workspace; the address bar says which place is shown. */
export function Explore() {
  const { segments, query } = place.value;
  const inPath = segments.slice(1).join('/');
  const address = query.get('at') ?? (inPath === '' ? undefined : fileAddress(inPath));
  const [version, setVersion] = useState(0);
  const { value: inspected, error } = useLoaded(address, (signal) => inspect(address ?? '', signal), version);
  const file = inspected?.structure?.file ?? (inPath === '' ? undefined : inPath);
  const outline = useLoaded(file, (signal) => loadOutline(file ?? '', signal), version);
  useTree(file);
  useFileInPath(inspected);
  const [only] = inspected?.places ?? [];
  const isValue = inspected?.places.length === 1 && only?.match.kind === 'leaf';
  return (
    <div class={`explore${file === undefined ? '' : ' has-file'}`}>
      <AddressBar address={address} inspected={inspected} error={error} outline={outline.value?.entries ?? []} />
      <Tree file={file} onReload={reloadTree} />
      <div class="source-pane">
        <SourceView file={file} inspected={inspected} version={version} />
        {file !== undefined && only !== undefined && isValue ? (
          <SetValue
            key={`${file} ${only.path}`}
            place={only}
            locked={entryAt(folders.value, file)?.protected}
            onWritten={() => {
              setVersion(version + 1);
              void loadChanges();
            }}
          />
        ) : undefined}
      </div>
      <Outline file={file} loaded={outline} places={inspected?.places ?? []} />
    </div>
  );
}

async function loadOutline(file: string, signal: AbortSignal) {
  const args = { verb: 'ls', path: fileAddress(file), depth: OUTLINE_DEPTH };
  return (await callTool('path', args, outlineDetails, signal)).details;
}

/** Loads the open folders and the record, again when the link is back or events are missing, and shows the open file in the tree. */
function useTree(file: string | undefined): void {
  const isLive = link.value.kind === 'live';
  useEffect(() => {
    if (!isLive) return undefined;
    reloadTree();
    void loadChanges();
    return onEvents({ reset: reloadTree });
  }, [isLive]);
  useEffect(() => {
    if (isLive && file !== undefined) reveal(file);
  }, [isLive, file]);
}

/** An address of another file changes the path too. */
function useFileInPath(inspected: Inspected | undefined): void {
  useEffect(() => {
    const at = place.peek().query.get('at');
    const file = inspected?.structure?.file;
    if (file === undefined || at === null || inspected?.typed !== at) return;
    const wanted = filesPath(file, at);
    if (wanted !== location.pathname + location.search) navigate(wanted, 'replace');
  }, [inspected]);
}
