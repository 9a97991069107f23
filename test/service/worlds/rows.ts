/** Tables with one row a line: cells between ` | `, spaces around them left out. */
export function rows<const Names extends readonly string[]>(
  names: Names,
  text: string,
): Record<Names[number], string>[] {
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  return lines.map((line) => {
    const cells = line.split(' | ').map((cell) => cell.trim())
    return Object.fromEntries(names.map((name, at) => [name, cells[at] ?? ''])) as Record<
      Names[number],
      string
    >
  })
}
