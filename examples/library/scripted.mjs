/** A scripted model: it writes a file, prints it, and repeats the result. */
export function scripted() {
  return async (messages) => {
    const told = messages.filter(({ role }) => role === 'tool');
    if (told.length === 0)
      return { calls: [{ id: 'c1', name: 'write', args: { file_path: 'hello.txt', content: 'Hello!\n' } }] };
    if (told.length === 1) return { calls: [{ id: 'c2', name: 'exec', args: { command: 'cat hello.txt' } }] };
    return { text: told.map(({ content }) => content[0].text ?? content).join('\n'), calls: [] };
  };
}
