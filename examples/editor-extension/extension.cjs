/** The code for the editor: asks for an address, opens the file, selects the range. */
const vscode = require('vscode');

/** @param {{ subscriptions: { dispose(): unknown }[] }} context */
exports.activate = (context) => {
  context.subscriptions.push(
    vscode.commands.registerCommand('pincer.goToAddress', () => reporting(goToAddress)),
    vscode.commands.registerCommand('pincer.goToSection', () => reporting(goToSection)),
  );
};

/** Shows errors with Pincer's hint. */
async function reporting(command) {
  try {
    await command();
  } catch (error) {
    vscode.window.showErrorMessage(error.hint ? `${error.message} (${error.hint})` : error.message);
  }
}

async function goToAddress() {
  const address = await vscode.window.showInputBox({ prompt: 'Address', placeHolder: 'oc://AGENTS.md/tools/gh' });
  if (!address) return;
  const [folder] = vscode.workspace.workspaceFolders ?? [];
  if (!folder) throw new Error('Open a folder first: the file of an address is relative to it.');
  const { fileOf } = await import('./places.mjs');
  const document = await vscode.workspace.openTextDocument(vscode.Uri.joinPath(folder.uri, fileOf(address)));
  await select(await vscode.window.showTextDocument(document), address);
}

async function goToSection() {
  const editor = vscode.window.activeTextEditor;
  if (!editor) return;
  const { sectionsOf } = await import('./places.mjs');
  const file = vscode.workspace.asRelativePath(editor.document.uri, false);
  const entries = sectionsOf(editor.document.getText(), file);
  const picked = await vscode.window.showQuickPick(
    entries.map(({ address, line }) => ({ label: address, description: `line ${line}` })),
  );
  if (picked) await select(editor, picked.label);
}

async function select(editor, address) {
  const { rangeOf } = await import('./places.mjs');
  const range = rangeOf(editor.document.getText(), address);
  if (!range) throw new Error(`Not found: ${address}`);
  const { start, end } = range;
  const selection = new vscode.Selection(start.line - 1, start.column - 1, end.line - 1, end.column - 1);
  editor.selection = selection;
  editor.revealRange(selection, vscode.TextEditorRevealType.AtTop);
}
