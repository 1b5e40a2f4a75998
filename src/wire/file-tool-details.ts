/**
 * The closed list of members in the `details` of file tools. All others are dropped, also from results of a sandbox, whose runner
 * may be hostile.
 */

const READ_DETAILS = [
  'path workspaceOnly kind mimeType bytes lines totalLines eol invalidBytes truncated continuation encoding',
  'encodingConfidence bom redacted hash totalPages pages scanned width height original cells',
];
const CHANGE_DETAILS = [
  'bytesWritten created changed diff dryRun stale staleDiff note recovered warnings edits match replaced firstChangedLine',
  'alreadyApplied appliedAt summary moved unchanged fuzz change changes id already files',
];
const PATH_DETAILS = [
  'resolved ocPath pattern count matches file ok reason detail fsPath valid formatted structure code message hint',
];
const FAULT_DETAILS = [
  'name parameter aliases line column offset near entries totalEntries root slot stateDir errno journal paths most is',
  'names protected mount holderPid takenBack keys expected present hunk patchLine anchor nearest newTextAt edit conflicts',
  'agent batchLine',
];

const LISTED: ReadonlySet<string> = new Set(
  [...READ_DETAILS, ...CHANGE_DETAILS, ...PATH_DETAILS, ...FAULT_DETAILS].flatMap((line) => line.split(' ')),
);

export function isFileToolDetail(name: string): boolean {
  return LISTED.has(name);
}

export function fileToolDetails(details: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(details).filter(([name]) => LISTED.has(name)));
}
