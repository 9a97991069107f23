/** Each rule of `rules/` fires in the real Prometheus by what exporters say (`rules/page.txt`), and its card says what its row does. */
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, test } from 'vitest'
import { lacks, openReal, promFile, run, runManager, until } from './worlds/real.ts'
import { files, type Row, read, rulesIn, told } from './worlds/rules.ts'

const startS = Math.floor(Date.now() / 1000)
const historyS = 1800
const rows = files.flatMap(rulesIn)
const names = new Map(
  [...read('page.txt').matchAll(/^(\$\w+) = (.*)$/gm)].map(([, name = '', all = '']) => [name, all]),
)
const lines = read('page.txt')
  .split('\n')
  .filter((line) => /^[a-z]/.test(line))
const figures = lines.map((line) => {
  const [, series = '', said = ''] = /^(.*\}) (.*)$/.exec(line) ?? []
  return { series: series.replace(/\$\w+/g, (name) => names.get(name) ?? name), said }
})

function valueAt(said: string, atS: number): number {
  const steps = Math.max(1, Math.ceil((startS - atS) / 200))
  if (said === 'flap') return Number(steps !== 1 && steps !== 3)
  const [, base = '', by = '0'] = /^(now|-?[\d.]+|)([+-][\d.]+)?$/.exec(said) ?? []
  if (base === 'now') return startS + Number(by)
  return (base === '' ? Number(by) * historyS : Number(base)) + Number(by) * (atS - startS)
}

function pageAt(atS: number, without: string): string {
  const there = figures.filter(({ series }) => without === '' || !series.startsWith(without))
  return there.map(({ series, said }) => `${series} ${valueAt(said, atS)}\n`).join('')
}

/** As Prometheus would have it, had it been there for half an hour: windows and offsets then mean what they say. */
function history(target: string): string {
  const times = Array.from({ length: historyS / 15 }, (_, n) => startS - historyS + n * 15)
  const samples = figures.flatMap(({ series, said }) => {
    // What a scrape adds to a series that does not say it.
    const added = ['job="app"', `instance="${target}"`].filter(
      (one) => !series.includes(one.replace(/".*/, '"')),
    )
    const whole = series.replace('{', `{${added.map((one) => `${one},`).join('')}`)
    return times.map((atS) => `${whole} ${valueAt(said, atS)} ${atS}`)
  })
  return `${samples.join('\n')}\n# EOF\n`
}

function ruleOf({ alert, rule, expr, summary }: Row): object {
  return { alert, expr, labels: rule, annotations: summary === undefined ? {} : { summary } }
}

describe.skipIf(lacks('prometheus', 'prometheus-alertmanager', 'promtool'))('real rules', () => {
  test('each card says server, name, value, unit, limit, side and title, and has its picture', async ({
    onTestFinished: finished,
  }) => {
    let without = ''
    const server = createServer((_, response) => response.end(pageAt(Date.now() / 1000, without)))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    finished(() => void server.close())
    const target = `127.0.0.1:${(server.address() as AddressInfo).port}`
    const manager = await runManager(finished)
    const groups = rows.map((row, n) => ({ name: `${n}`, interval: '1s', rules: [ruleOf(row)] }))
    const config = {
      'prometheus.yml': promFile(target, manager.url),
      'rules.yml': JSON.stringify({ groups }),
    }
    const engine = await run(
      'prometheus',
      config,
      (port, folder) => {
        writeFileSync(`${folder}/history`, history(target))
        const made = spawnSync('promtool', [
          'tsdb',
          'create-blocks-from',
          'openmetrics',
          `${folder}/history`,
          `${folder}/data`,
        ])
        expect(String(made.stderr)).toBe('')
        return [
          `--config.file=${folder}/prometheus.yml`,
          `--storage.tsdb.path=${folder}/data`,
          `--web.listen-address=127.0.0.1:${port}`,
          '--rules.alert.resend-delay=1s',
        ]
      },
      '/-/ready',
      finished,
    )
    const town = await openReal(finished, { url: new URL(engine.url), alertmanagers: [new URL(manager.url)] })
    const cardOf = async ({ alert, rule, labels }: Row) =>
      (await town.alerts()).filter((one) =>
        Object.entries({ alertname: alert, ...rule, ...labels }).every(
          ([name, value]) => one.labels[name] === value,
        ),
      )
    const missing = async () => {
      const open = JSON.stringify((await town.alerts()).map(({ plugin_name }) => plugin_name))
      return rows.map(({ alert }) => alert).filter((alert) => !open.includes(`"${alert}"`))
    }
    await until('all but one fire', async () => String(await missing()) === 'KubeAPIDown').catch(async () => {
      expect(await missing()).toEqual(['KubeAPIDown'])
    })
    async function check(row: Row): Promise<void> {
      const [card, ...others] = await cardOf(row)
      expect([card?.plugin_name, others], row.alert).toEqual([row.alert, []])
      const { server_name, metric_name, metric_value, severity, units, limit, limit_side, title } = card
      const said = { server: server_name, metric: metric_name, severity, units, limit, side: limit_side }
      expect(said, row.alert).toEqual(told(row))
      const ratio = row.value === 0 ? 1 + metric_value : metric_value / row.value
      expect(row.card.value === 'none' ? metric_value : ratio, row.alert).toEqual(
        row.card.value === 'none' ? null : expect.closeTo(1, 1),
      )
      expect(title, row.alert).toContain(
        row.summary ?? (row.card.silence ? 'sends no data' : row.expr).slice(0, 270),
      )
      const path = `/metrics.json?metric_name=x&metric_type=cpu&alert=${card.id}`
      expect((await town.api(path)).body.metrics, row.alert).toHaveLength(Number(row.card.drawn ?? 1))
      const picture = await town.ask(card.sparkline_url.slice(town.service.url.length))
      expect([picture.status, picture.headers['content-type']], row.alert).toEqual([200, 'image/png'])
    }
    for (const row of rows) if (row.alert !== 'KubeAPIDown') await check(row)
    without = 'up{job="apiserver"'
    await until('KubeAPIDown fires', async () => (await missing()).length === 0)
    for (const row of rows) if (row.alert === 'KubeAPIDown') await check(row)
  })
})
