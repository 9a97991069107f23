/** docs/commands.md tells the commands as they are: every one, in the table's order, with its usage and its permission. */
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { commands, type KnownCommand, parseCommand, usageOf } from '../../src/domain/command/commands.ts'

const document = readFileSync(new URL('../../docs/commands.md', import.meta.url), 'utf8')

/** What stands between `<!-- commands -->` and `<!-- /commands -->`. */
function sectionOf(text: string): string {
  const found = /<!-- commands -->\n([\s\S]*?)<!-- \/commands -->/.exec(text)?.[1]
  if (found === undefined)
    throw new Error('expected <!-- commands --> … <!-- /commands --> in docs/commands.md; came neither')
  return found
}

/** As the document writes it; a pipe would end the cell. */
function lineOf(command: KnownCommand): string {
  const permission = command.guard === null ? 'everyone' : `\`${command.guard}\``
  const cells = [`\`${usageOf(command)}\``, command.summary, permission]
  return `| ${cells.map((cell) => cell.replace(/\|/g, '\\|')).join(' | ')} |`
}

function linesOf(text: string): string[] {
  return sectionOf(text)
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .slice(2)
}

test('the table has a line for every command', () => {
  expect(linesOf(document)).toEqual(commands.map(lineOf))
})

test('the check sees a command that is missing and a usage that is not the real one', () => {
  const missing = document.replace(/\| `\/mon handoff`.*\n/, '')
  const wrong = document.replace('`/mon unmute [host] <server>[,…]`', '`/mon unmute`')
  for (const spoiled of [missing, wrong]) {
    expect(spoiled).not.toBe(document)
    expect(linesOf(spoiled)).not.toEqual(commands.map(lineOf))
  }
})

test('every command that the text around the table shows is understood', () => {
  const text = document.replace(sectionOf(document), '')
  const shown = [...text.matchAll(/`\/mon ([^`]+)`/g)].map(([, command = '']) => command)
  expect(shown.length).toBeGreaterThan(2)
  for (const command of shown) expect(parseCommand(command), command).toMatchObject({ ok: true })
})
