import type { Kind } from '../../kind.ts';
import { parseYaml } from '../yaml/yaml.ts';
import { markdownKind } from './document.ts';

export const markdown: Kind = markdownKind((text) => parseYaml(text, { scalarsAreStrings: true }));
