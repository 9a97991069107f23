/** The units of systemd, as systemd itself reads them. */
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'

const deploy = join(import.meta.dirname, '../../deploy')
const units = readdirSync(deploy).filter((name) => /\.(?:service|timer)$/.test(name))
const isThere = spawnSync('systemd-analyze', ['--version']).status === 0

test.skipIf(!isThere)('systemd finds nothing wrong in any unit (needs systemd)', () => {
  const folder = mkdtempSync(join(tmpdir(), 'monbot-units-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  // It looks whether the program is there, which only the machine that runs it must have.
  for (const name of units)
    writeFileSync(
      join(folder, name),
      readFileSync(join(deploy, name), 'utf8').replace(/^(ExecStart=)\S+/gm, `$1${process.execPath}`),
    )
  expect(units.length).toBeGreaterThan(3)
  const paths = units.map((name) => join(folder, name))
  const { status, stderr } = spawnSync('systemd-analyze', ['verify', ...paths], { encoding: 'utf8' })
  expect([status, stderr]).toEqual([0, ''])
})

test.skipIf(!isThere)('the bot’s unit is confined, in the measure of systemd (needs systemd)', () => {
  const words = ['security', '--offline=true', '--no-pager', join(deploy, 'monbot.service')]
  const said = execFileSync('systemd-analyze', words, { encoding: 'utf8' })
  expect(Number(/exposure level for \S+: ([\d.]+)/.exec(said)?.[1])).toBeLessThan(3)
})
