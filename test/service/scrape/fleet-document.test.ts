/** docs/fleet.md does what it says: its files are read, and its commands are run. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readConfig } from '../../../src/service/config/read-config.ts'
import { blocksOf, runCommands } from '../../support/document-commands.ts'
import { tempFolder } from '../prometheus/programs.ts'
import { isNodeExporterMissing, startNodeExporter } from './node-exporter.ts'

const path = 'docs/fleet.md'

test('the file of the document is one that the service takes', async (t) => {
  const folder = tempFolder(t)
  const file = join(folder, 'fleet.yml')
  mkdirSync(join(folder, 'targets'))
  writeFileSync(file, blocksOf(path, 'yaml').join('\n'))
  const { config, problems } = await readConfig(file)
  expect(problems).toEqual([])
  expect(config?.scrape?.targets).toHaveLength(1)
  expect(config?.triggers).toHaveLength(3)
})

test('the command for a host is the one that installs what is tested', () => {
  const [command = ''] = blocksOf(path, 'sh host')
  const [, name = ''] = /apt-get install .*?(\S+)$/m.exec(command) ?? []
  expect(name).toBe('prometheus-node-exporter')
  const packages = readFileSync(new URL('../../../.ci/run', import.meta.url), 'utf8')
  expect(packages).toMatch(new RegExp(`^packages=\\(.*\\b${name}\\b`, 'm'))
})

test.skipIf(isNodeExporterMissing)('the commands lead from nothing to the card of a real host', async (t) => {
  const exporter = await startNodeExporter()
  const folder = tempFolder(t)
  const said = await runCommands(t, {
    path,
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
