/** docs/settings.md tells the settings as they are: every one, its default, and a policy file that really reads. */
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { readPolicy } from '../../src/config/policy-file.ts'
import { type Setting, settings } from '../../src/config/settings.ts'
import { environmentNames } from '../../src/service/environment.ts'

const document = readFileSync(new URL('../../docs/settings.md', import.meta.url), 'utf8')

/** What stands between `<!-- name -->` and `<!-- /name -->`. */
function section(text: string, name: string): string {
  const found = new RegExp(`<!-- ${name} -->\\n([\\s\\S]*?)<!-- /${name} -->`).exec(text)?.[1]
  if (found === undefined)
    throw new Error(`expected <!-- ${name} --> … <!-- /${name} --> in docs/settings.md; came neither`)
  return found
}

/** The cells of a Markdown table without its heading; a pipe inside a cell would be written `\|`. */
function rowsOf(table: string): string[][] {
  const lines = table.split('\n').filter((line) => line.startsWith('|'))
  return lines.slice(2).map((line) =>
    line
      .split(/(?<!\\)\|/)
      .slice(1, -1)
      .map((cell) => cell.trim()),
  )
}

function cellsOf({ name, default: fallback, absent, meaning, secret }: Setting): string[] {
  return [
    `\`${name}\``,
    fallback === null ? absent : `\`${fallback}\``,
    `${meaning}${secret ? ' (secret)' : ''}`,
  ]
}

test('the table has a row for every setting, with its default and its meaning', () => {
  expect(rowsOf(section(document, 'settings'))).toEqual(settings.map(cellsOf))
})

test('the check sees a default that is not the real one', () => {
  const wrong = document.replace('| `3000` |', '| `8080` |')
  expect(wrong).not.toBe(document)
  expect(rowsOf(section(wrong, 'settings'))).not.toEqual(settings.map(cellsOf))
})

test('the example of a policy file is one that the bot takes, and it shows the defaults', () => {
  const example = /```yaml\n([\s\S]*?)```/.exec(section(document, 'policy'))?.[1] ?? ''
  const { policy, problems } = readPolicy(example, 'docs/settings.md', [])
  expect(problems).toEqual([])
  expect([policy?.routes.length, policy?.severity.length, policy?.links.length]).toEqual([1, 1, 1])
  const defaults = readPolicy('', 'the defaults', []).policy
  expect(policy).toMatchObject({
    limits: defaults?.limits,
    reminders: {
      flapSettleMs: defaults?.reminders.flapSettleMs,
      forgottenAfterMs: defaults?.reminders.forgottenAfterMs,
    },
    board: defaults?.board,
    lifecycle: defaults?.lifecycle,
    images: defaults?.images,
  })
})

test('the row of the service names every variable that it reads', () => {
  const row = document.split('\n').find((line) => line.startsWith('| `npm run service` |')) ?? ''
  expect([...row.matchAll(/`([A-Z_]{4,})`/g)].map(([, name]) => name).toSorted()).toEqual(
    environmentNames.toSorted(),
  )
})
