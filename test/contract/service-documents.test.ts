/** docs/fleet.md and docs/prometheus.md do what they say: their files are read, and their commands are run. */
import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readConfig } from '../../src/service/config/read-config.ts'
import { usualTemplates } from '../../src/service/prometheus/templates.ts'
import { newFolder } from '../service/ledger-file.ts'
import { lacks } from '../service/prometheus/programs.ts'
import { openAlertmanagers, openPrometheus } from '../service/prometheus/real.ts'
import { isNodeExporterMissing, startNodeExporter } from '../service/scrape/node-exporter.ts'
import { blocksOf, runCommands } from '../support/document-commands.ts'

const fleet = 'docs/fleet.md'
const prometheus = 'docs/prometheus.md'

test.each([
  [fleet, { scrape: { targets: { length: 2 } }, triggers: { length: 3 } }],
  [prometheus, { prometheus: { serverLabel: 'instance', serviceless: 'job' } }],
  [prometheus, { prometheus: { rules: { length: 2 }, alertmanager: { length: 1 } } }, 'yaml endpoints'],
])('the file of %s is one that the service takes: %j', async (path, expected, mark = 'yaml') => {
  const folder = newFolder()
  const file = join(folder, 'monitor.yml')
  mkdirSync(join(folder, 'targets'))
  writeFileSync(file, blocksOf(path, mark).join('\n'))
  // The reader's own, where the document names some.
  const subject = ['-subj', '/CN=web', '-days', '9']
  const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes']
  const files = ['-keyout', 'me.key', '-out', 'me.pem']
  execFileSync('openssl', ['req', '-x509', ...newKey, ...files, ...subject], { cwd: folder, stdio: 'pipe' })
  copyFileSync(join(folder, 'me.pem'), join(folder, 'ca.pem'))
  const { config, problems } = await readConfig(file)
  expect(problems).toEqual([])
  expect(config).toMatchObject(expected)
  expect(Object.keys(config?.prometheus?.metrics ?? {})).toEqual(
    path === prometheus && mark === 'yaml' ? ['cpu_busy'] : [],
  )
})

test('the templates of servers are those that a new ledger begins with', () => {
  const [block = ''] = blocksOf(prometheus, 'text templates')
  expect(block.split(/\s+/).filter((text) => text !== '')).toEqual(usualTemplates)
})

test('the command for a host is the one that installs what is tested', () => {
  const [command = ''] = blocksOf(fleet, 'sh host')
  const [, name = ''] = /apt-get install .*?(\S+)$/m.exec(command) ?? []
  expect(name).toBe('prometheus-node-exporter')
  const packages = readFileSync(new URL('../../.ci/run', import.meta.url), 'utf8')
  expect(packages).toMatch(new RegExp(`^packages=\\(.*\\b${name}\\b`, 'm'))
})

test.skipIf(isNodeExporterMissing)('the commands lead from nothing to the card of a real host', async (t) => {
  const exporter = await startNodeExporter()
  const folder = newFolder()
  const said = await runCommands(t, {
    path: fleet,
    folder,
    servicePort: 9090,
    replacements: [
      ['127.0.0.1:9100', new URL(exporter).host],
      ['fleet.yml', join(folder, 'fleet.yml')],
    ],
    alert: 'memory_used',
    server: 'web-1',
  })
  expect(said).toContain('"server_hostname":"web-1"')
  expect(said).toMatch(/"text":"[^"]*web-1\b[^"]*Memory/)
  // What is pushed is accepted in full. (The progress that curl prints may stand before it.)
  expect(said).toMatch(/(?:^|\s)\{\}/)
})

test.skipIf(lacks('prometheus', 'prometheus-alertmanager'))(
  'the commands lead from a running Prometheus to the first card',
  async (t) => {
    const [alertmanager] = await openAlertmanagers(t)
    const { url } = await openPrometheus(t, {
      rules: [{ alert: 'ShopClosed', expr: 'vector(7) > 1', labels: { instance: 'shop-1:80' } }],
      alertmanagers: [alertmanager?.url ?? ''],
    })
    const folder = newFolder()
    mkdirSync(join(folder, 'data'))
    const said = await runCommands(t, {
      path: prometheus,
      folder,
      servicePort: 9095,
      replacements: [
        ['127.0.0.1:9090', new URL(url).host],
        ['127.0.0.1:9093', new URL(alertmanager?.url ?? '').host],
      ],
      alert: 'ShopClosed',
      server: 'shop-1',
    })
    expect(said).toContain('"server_hostname":"shop-1"')
    expect(said).toMatch(/"text":"[^"]*shop-1\b[^"]*ShopClosed/)
  },
)
