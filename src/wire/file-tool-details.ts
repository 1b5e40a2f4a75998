/**
 * The members of `details` that a file tool may answer with: a closed list. What is not on it does not leave a tool, and is
 * dropped from what comes out of a sandbox, whose agent may have been replaced.
 */

/** What was read. */
const OF_READS = [
  'path workspaceOnly kind mimeType bytes lines totalLines eol invalidBytes truncated continuation encoding',
  'encodingConfidence bom redacted hash totalPages pages scanned width height original cells',
];
/** What was changed, or would be. */
const OF_CHANGES = [
  'bytesWritten created changed diff dryRun stale staleDiff note recovered warnings edits match replaced firstChangedLine',
  'alreadyApplied appliedAt summary moved unchanged fuzz change changes id already files',
];
/** The answers of `path`. */
const OF_ADDRESSES = [
  'resolved ocPath pattern count matches ok reason detail fsPath valid formatted structure code message hint',
];
/** What went wrong, and where. */
const OF_FAULTS = [
  'name parameter aliases line column offset near entries totalEntries root slot stateDir errno journal paths most is',
  'names protected mount holderPid takenBack keys expected present hunk patchLine anchor nearest newTextAt edit conflicts',
  'agent batchLine',
];

const LISTED: ReadonlySet<string> = new Set(
  [...OF_READS, ...OF_CHANGES, ...OF_ADDRESSES, ...OF_FAULTS].flatMap((line) => line.split(' ')),
);

export function isFileToolDetail(name: string): boolean {
  return LISTED.has(name);
}

/** The members that are on the list. */
export function fileToolDetails(details: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(details).filter(([name]) => LISTED.has(name)));
}
