/** The reference documents tell the commands, the metrics and the settings as they are: every one, in order, with its meaning. */
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { readPolicy } from '../../src/bot/config/policy.ts'
import { type Setting, settings } from '../../src/bot/config/settings.ts'
import { commands, type KnownCommand, parseCommand, usageOf } from '../../src/bot/domain/command/commands.ts'
import { type MetricSpec, metricTable } from '../../src/bot/ops/metric-table.ts'
import { environmentNames } from '../../src/service/environment.ts'
import { metricTable as serviceMetricTable } from '../../src/service/ops/metric-table.ts'
import { blocksOf } from '../support/document-commands.ts'

const commandsPage = readFileSync(new URL('../../docs/commands.md', import.meta.url), 'utf8')

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
  expect(linesOf(commandsPage)).toEqual(commands.map(lineOf))
})

test('the check sees a command that is missing and a usage that is not the real one', () => {
  const missing = commandsPage.replace(/\| `\/mon status`.*\n/, '')
  const wrong = commandsPage.replace('`/mon unmute [host] <server>[,…] \\| #<alert>', '`/mon unmute`')
  for (const spoiled of [missing, wrong]) {
    expect(spoiled).not.toBe(commandsPage)
    expect(linesOf(spoiled)).not.toEqual(commands.map(lineOf))
  }
})

test('every command that the text around the table shows is understood', () => {
  const text = commandsPage.replace(sectionOf(commandsPage), '')
  const shown = [...text.matchAll(/`\/mon ([^`]+)`/g)].map(([, command = '']) => command)
  expect(shown.length).toBeGreaterThan(2)
  for (const command of shown) expect(parseCommand(command), command).toMatchObject({ ok: true })
})

const metricsPage = readFileSync(new URL('../../docs/metrics.md', import.meta.url), 'utf8')

type Row = Pick<MetricSpec, 'type' | 'help' | 'labels'> & { readonly name: string }

function rowOf({ name, type, labels, help }: Row): string {
  const words = labels.map((label) => `\`${label}\``).join(', ')
  return `| \`${name}\` | ${type} | ${words || 'none'} | ${help} |`
}

const rows = Object.values<MetricSpec>(metricTable).map(rowOf)

test('the table has a row for every metric', () => {
  const table = /<!-- metrics -->\n([\s\S]*?)<!-- \/metrics -->/.exec(metricsPage)?.[1] ?? ''
  expect(table.trim().split('\n').slice(2)).toEqual(rows)
})

test('the table of the service has a row for every metric', () => {
  const table = /<!-- service metrics -->\n([\s\S]*?)<!-- \/service metrics -->/.exec(metricsPage)?.[1] ?? ''
  expect(table.trim().split('\n').slice(2)).toEqual(Object.values(serviceMetricTable).map(rowOf))
})

const allMetrics: readonly Row[] = [
  ...Object.values<MetricSpec>(metricTable),
  ...Object.values(serviceMetricTable),
]

test('a counter ends as counters do, and a name says its unit', () => {
  for (const { name, type } of allMetrics) {
    expect(name.endsWith('_total')).toBe(type === 'counter')
    if (type === 'histogram') expect(name).toMatch(/_seconds$/)
  }
})

const settingsPage = readFileSync(new URL('../../docs/settings.md', import.meta.url), 'utf8')

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
  expect(rowsOf(section(settingsPage, 'settings'))).toEqual(settings.map(cellsOf))
})

test('the check sees a default that is not the real one', () => {
  const wrong = settingsPage.replace('| `3000` |', '| `8080` |')
  expect(wrong).not.toBe(settingsPage)
  expect(rowsOf(section(wrong, 'settings'))).not.toEqual(settings.map(cellsOf))
})

test('the example of a policy file is one that the bot takes, and it shows the defaults', () => {
  const example = /```yaml\n([\s\S]*?)```/.exec(section(settingsPage, 'policy'))?.[1] ?? ''
  const { policy, problems } = readPolicy(example, 'docs/settings.md', [])
  expect(problems).toEqual([])
  expect([policy?.routes.length, policy?.severity.length, policy?.links.length]).toEqual([2, 1, 1])
  const defaults = readPolicy('', 'the defaults', []).policy
  expect(policy).toMatchObject({
    limits: defaults?.limits,
    reminders: {
      flapSettleMs: defaults?.reminders.flapSettleMs,
      staleAckAfterMs: defaults?.reminders.staleAckAfterMs,
    },
    ignore: defaults?.ignore,
    board: defaults?.board,
    lifecycle: defaults?.lifecycle,
    images: defaults?.images,
  })
})

test('the reminders that docs/pager.md shows are ones that the bot takes', () => {
  const [example = ''] = blocksOf('docs/pager.md', 'yaml')
  const { policy, problems } = readPolicy(example, 'docs/pager.md', [])
  expect(problems).toEqual([])
  expect(policy?.reminders.steps.map(({ page = false }) => page)).toEqual([true, false, true])
})

test('the row of the service names every variable that it reads', () => {
  const row = settingsPage.split('\n').find((line) => line.startsWith('| `npm run service` |')) ?? ''
  expect([...row.matchAll(/`([A-Z_]{4,})`/g)].map(([, name]) => name).toSorted()).toEqual(
    environmentNames.toSorted(),
  )
})
