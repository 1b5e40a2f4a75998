import { useEffect, useRef } from 'preact/hooks';
import type { TreeEntry } from '../../../wire/methods/page-methods.ts';
import { Button } from '../../components/button.tsx';
import { FaultNote } from '../../components/callout.tsx';
import { HostileText } from '../../components/hostile-text.tsx';
import { Icon } from '../../components/icon.tsx';
import { scrollWithin } from '../../components/scroll-within.ts';
import { linkBlocked } from '../../state/link.ts';
import { filesPath } from './address.ts';
import { changedFiles } from './changes-state.ts';
import { folders, joined, loadMore, moreEntries, openFolders, toggleFolder } from './tree-state.ts';

interface TreeProps {
  readonly file: string | undefined;
  readonly onReload: () => void;
}

/** The files of the workspace; a folder loads when it is opened. */
export function Tree({ file, onReload }: TreeProps) {
  return (
    <nav class="tree" aria-label="Files of the workspace">
      <div class="pane-head">
        <h2>Files</h2>
        <Button
          kind="quiet"
          icon="reload"
          label="Load the files again"
          blocked={linkBlocked.value}
          onPress={onReload}
        />
      </div>
      <Folder path="" depth={0} file={file} />
    </nav>
  );
}

interface FolderProps {
  readonly path: string;
  readonly depth: number;
  readonly file: string | undefined;
}

function Folder({ path, depth, file }: FolderProps) {
  const folder = folders.value.get(path);
  if (folder === undefined) return <p class="note tree-note">Loading…</p>;
  const more = moreEntries(folder);
  return (
    <>
      {folder.error === undefined ? undefined : <FaultNote error={folder.error} />}
      <ul>
        {folder.entries.toSorted(foldersFirst).map((entry) => (
          <Entry key={entry.name} entry={entry} path={joined(path, entry.name)} depth={depth} file={file} />
        ))}
      </ul>
      {more > 0 ? (
        <Button kind="quiet" about={`in ${path === '' ? 'the workspace' : path}`} onPress={() => void loadMore(path)}>
          {`${more} more`}
        </Button>
      ) : undefined}
      {folder.entries.length === 0 && folder.error === undefined ? <p class="note tree-note">Empty</p> : undefined}
    </>
  );
}

function foldersFirst(a: TreeEntry, b: TreeEntry): number {
  return Number(b.type === 'folder') - Number(a.type === 'folder') || a.name.localeCompare(b.name, 'en');
}

interface EntryProps extends FolderProps {
  readonly entry: TreeEntry;
}

function Entry({ entry, path, depth, file }: EntryProps) {
  const element = useRef<HTMLLIElement>(null);
  const isOpen = openFolders.value.has(path);
  const isCurrent = file === path;
  useEffect(() => element.current?.style.setProperty('--depth', String(depth)), [depth]);
  useEffect(() => {
    const part = element.current?.closest('nav');
    if (isCurrent && part) scrollWithin(element.current!, part, 'nearest');
  }, [isCurrent]);
  if (entry.type === 'folder')
    return (
      <li ref={element}>
        <button type="button" class="tree-entry" aria-expanded={isOpen} onClick={() => toggleFolder(path)}>
          <Icon name={isOpen ? 'open' : 'next'} />
          <Icon name="folder" />
          <EntryName entry={entry} path={path} />
        </button>
        {isOpen ? <Folder path={path} depth={depth + 1} file={file} /> : undefined}
      </li>
    );
  return (
    <li ref={element}>
      <a class="tree-entry" href={filesPath(path)} aria-current={isCurrent ? 'page' : undefined}>
        <Icon name="files" />
        <EntryName entry={entry} path={path} />
      </a>
    </li>
  );
}

function EntryName({ entry, path }: { readonly entry: TreeEntry; readonly path: string }) {
  return (
    <>
      <span class="tree-name">
        <HostileText text={entry.name} />
      </span>
      {entry.protected !== undefined ? (
        <span class="tree-mark">
          <Icon name="lock" />
          <span class="unseen">locked</span>
        </span>
      ) : entry.secrets === true ? (
        <span class="tree-mark">secrets hidden</span>
      ) : changedFiles.value.has(path) ? (
        <span class="tree-mark">changed</span>
      ) : undefined}
    </>
  );
}
