import { childRows, keyName, leafOf } from '../../../../src/text/kinds/yaml/rows.ts';
import { END, MAP, SCALAR, START, type Tree } from '../../../../src/text/kinds/yaml/tree.ts';

/** Keys, types, values and spans of a tree without aliases, in a form that a failing assertion can show. */
export function outline(tree: Tree): string[] {
  const lines: string[] = [];
  const visit = (row: number, depth: number, name: string): void => {
    const type = tree.type(row);
    const span = `${tree.get(row, START)}-${tree.get(row, END)}`;
    const leaf = type === SCALAR ? leafOf(tree, row, false) : undefined;
    const what = leaf ? `${leaf.leafType} ${JSON.stringify(leaf.valueText)}` : type === MAP ? 'map' : 'seq';
    lines.push(`${'  '.repeat(depth)}${name} ${span} style ${tree.style(row)} ${what}`);
    let index = 0;
    for (const child of childRows(tree, row))
      visit(child, depth + 1, type === MAP ? keyName(tree, child) : `${index++}`);
  };
  for (const row of tree.documents) visit(row, 0, 'document');
  return lines;
}
