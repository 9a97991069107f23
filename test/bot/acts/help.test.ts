/** The table of acts makes the help and the documents. */
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import type { Action } from '../../../src/bot/acts/action.ts'
import { acts } from '../../../src/bot/acts/table.ts'
import { answerTo, contextOf, sceneOf, told, worldOf } from './records.ts'

const scene = sceneOf(worldOf())
const typed = acts.filter(({ command }) => command !== undefined)
const help = async (words: string) => {
  const act = acts.find(({ names }) => names.includes('help'))
  return told(await answerTo(act as Action, words, contextOf(scene)), scene)
}

test('Eight lines, each with an example that its own act takes', async () => {
  const lines = (await help('')).split('\n').slice(0, -1)
  const names = lines.map((line) => /^`\/mon (\w+)/.exec(line)?.[1])
  expect(names).toEqual(['status', 'alerts', 'ack', 'mute', 'unmute', 'mutes', 'chart', 'help'])
})

test('All commands are listed, and fit into a message', async () => {
  const text = await help('all')
  expect([
    typed.filter(({ usage }) => !text.includes(usage.split(' ')[0] ?? '')),
    text.length < 4000,
  ]).toEqual([[], true])
})

describe('one command', () => {
  test.each([
    ['timeline', '`/mon timeline &lt;alert&gt;`'],
    ['role', '`/mon role add'],
  ])('%s', async (words, part) => {
    expect(await help(words)).toContain(part)
  })
})

test('docs/commands.md has the same table', () => {
  const [, table = ''] = readFileSync('docs/commands.md', 'utf8').split(/<!-- \/?commands -->/)
  const rows = typed.map(({ usage, does, permission }) => {
    const who = permission === null ? 'everyone' : `\`${permission}\``
    return `| \`/mon ${usage.replaceAll('|', '\\|')}\` | ${does.replaceAll('|', '\\|')} | ${who} |`
  })
  expect(table.trim().split('\n')).toEqual(['| command | does | permission |', '|---|---|---|', ...rows])
})
