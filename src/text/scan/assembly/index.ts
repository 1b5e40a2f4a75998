// @ts-nocheck: this folder is AssemblyScript, compiled by scripts/build-scan.mjs.
// The exports for JavaScript; ../scan.ts defines the memory layout.
export { candidateLines, candidateResume, candidates } from './candidates';
export { fieldLines, fieldResume, fields, gatherEnd } from './fields';
export { findBytes } from './find';
export { formatEnd, formatRows } from './format';
export { member, memberBegin, memberEnd, memberKey } from './member';
export { countNewlines, isAscii, lineBegin, pastNewline } from './newlines';
export {
  depth as seekDepth,
  faultAt,
  keyBegin,
  keyEnd,
  seekDoubt,
  seekFault,
  seekStart,
  seekWindow,
  valueBegin,
  valueEnd,
} from './seek';
