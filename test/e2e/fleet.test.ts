/** From a real host to a card and back: Debian's node_exporter, the service that scrapes it, and the bot. */
import { execFileSync } from 'node:child_process'
import { rmSync, statfsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readConfig } from '../../src/service/config/read-config.ts'
import { isNodeExporterMissing, startNodeExporter } from '../service/scrape/node-exporter.ts'
import { soon } from '../support/shared-town.ts'
import { openTown } from '../support/town.ts'

const megabyte = 1024 * 1024
/** Of all that is measured what other tests move least. */
const loadMb = 1_024

test.skipIf(isNodeExporterMissing)(
  'a disk that fills becomes a card through node_exporter, is muted, and closes',
  async () => {
    const exporter = await startNodeExporter()
    const town = await openTown({ service: { sampleMs: 300 } })
    const { bavail, bsize } = statfsSync(town.folder)
    const mount =
      execFileSync('df', ['--output=target', town.folder], { encoding: 'utf8' }).split('\n')[1] ?? ''
    const file = join(town.folder, 'fleet.yml')
    const belowMb = Math.round((bavail * bsize) / megabyte - loadMb / 2)
    writeFileSync(
      file,
      [
        `scrape: { interval: 1s, targets: [{ url: "${exporter}", server: real-1, roles: [web] }] }`,
        `triggers: [{ metric: disk_free, source: "${mount}", below: ${belowMb}, for: 1s }]`,
      ].join('\n'),
    )
    const { config, problems } = await readConfig(file)
    expect(problems).toEqual([])
    if (config !== null) town.service.useConfig(config)
    await town.bot()

    const filler = join(town.folder, 'filler')
    execFileSync('fallocate', ['-l', String(loadMb * megabyte), filler])
    const card = () => town.cards().find(({ text }) => text.includes(' real-1 Disk'))
    await expect
      .poll(() => card()?.text, soon)
      .toMatch(new RegExp(`^🔴 real-1 Disk ${mount}: free [\\d.,]+ .B \\(below `))
    await expect.poll(() => card()?.blocks.map(({ type }) => type), soon).toContain('image')
    await town.person('ana').types('/mon mute real-1 1h')
    const isMuted = () =>
      JSON.stringify(town.service.state()).includes('"hostname":"real-1","kind":"scraped"') &&
      JSON.stringify(town.service.state()).includes('"notifications":false')
    await expect.poll(isMuted, soon).toBe(true)
    rmSync(filler)
    await expect
      .poll(() => card()?.text, soon)
      .toMatch(new RegExp(`^🟢 real-1 Disk ${mount}: free closed after `))
  },
)
