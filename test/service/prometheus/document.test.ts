/** docs/prometheus.md does what it says: its file is read, and its commands are run against a real Prometheus. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readConfig } from '../../../src/service/config/read-config.ts'
import { blocksOf, runCommands } from '../../support/document-commands.ts'
import { lacks, tempFolder } from './programs.ts'
import { openAlertmanagers, openPrometheus } from './real.ts'

const path = 'docs/prometheus.md'

test('the file of the document is one that the service takes', async (t) => {
  const file = join(tempFolder(t), 'monitor.yml')
  writeFileSync(file, blocksOf(path, 'yaml').join('\n'))
  const { config, problems } = await readConfig(file)
  expect(problems).toEqual([])
  expect(config?.prometheus).toMatchObject({ serverLabel: 'instance', serviceless: 'job' })
  expect(Object.keys(config?.prometheus?.metrics ?? {})).toEqual(['cpu_busy'])
})

test.skipIf(lacks('prometheus', 'prometheus-alertmanager'))(
  'the commands lead from a running Prometheus to the first card',
  { timeout: 120_000 },
  async (t) => {
    const [alertmanager] = await openAlertmanagers(t)
    const prometheus = await openPrometheus(t, {
      rules: [{ alert: 'ShopClosed', expr: 'vector(7) > 1', labels: { instance: 'shop-1:80' } }],
      alertmanagers: [alertmanager?.url ?? ''],
    })
    const folder = tempFolder(t)
    mkdirSync(join(folder, 'data'))
    const said = await runCommands(t, {
      path,
      folder,
      servicePort: 9095,
      replacements: [
        ['127.0.0.1:9090', new URL(prometheus.url).host],
        ['127.0.0.1:9093', new URL(alertmanager?.url ?? '').host],
      ],
      alert: 'ShopClosed',
      server: 'shop-1',
    })
    expect(said).toContain('"server_hostname":"shop-1"')
    expect(said).toMatch(/"text":"[^"]*shop-1\b[^"]*ShopClosed/)
  },
)
