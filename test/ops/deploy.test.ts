/** The files to run monbot with: each is valid, and shuts it in as far as it can be. */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'
import { settings } from '../../src/config/settings.ts'
import { oldestNode } from '../../src/node-version.ts'

const root = new URL('../../', import.meta.url)
const read = (path: string) => readFileSync(new URL(path, root), 'utf8')
const names: ReadonlySet<string> = new Set([...settings.map(({ name }) => name), 'NODE_ENV'])

test('the systemd unit is valid, and as exposed as an "OK" allows: below 3.0', () => {
  const folder = mkdtempSync(join(tmpdir(), 'monbot-unit-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const unit = read('deploy/monbot.service')
  expect(unit).toContain(`Node ${oldestNode} or newer`)
  const file = join(folder, 'monbot.service')
  // What it starts need not be on this machine.
  writeFileSync(file, unit.replace(/^ExecStart=\S+/m, `ExecStart=${process.execPath}`))
  const verified = spawnSync('systemd-analyze', ['verify', '--man=no', file], { encoding: 'utf8' })
  expect(verified.error).toBeUndefined()
  expect(verified.stderr.split('\n').filter((line) => line.includes('monbot.service'))).toEqual([])
  const options = ['security', '--offline=yes', '--threshold=30', '--no-pager', file]
  const secured = spawnSync('systemd-analyze', options, { encoding: 'utf8' })
  expect(secured.stdout).toMatch(/Overall exposure level for monbot\.service: [0-2]\.\d OK/)
  expect(secured.status).toBe(0)
})

test('compose sets only what the bot reads, and gives no container more than it needs', () => {
  const { services } = parse(read('compose.yaml'))
  for (const name of Object.keys(services.bot.environment)) expect(names).toContain(name)
  for (const one of [services.bot, services.service]) {
    expect(one).toMatchObject({ read_only: true, cap_drop: ['ALL'] })
  }
  expect(services.prometheus.profiles).toEqual(['prometheus'])
  const [command, file] = services.service.command
  expect(command).toBe('node')
  expect(read(file.replace('dist', 'src').replace('.js', '.ts'))).toContain('runService')
})

test('Kubernetes runs one at a time, as nobody, and asks the paths that it answers', () => {
  const [claim, deployment, ...others] = parseAllDocuments(read('deploy/kubernetes.yaml')).map((one) =>
    one.toJS(),
  )
  expect(others).toEqual([])
  expect(claim.kind).toBe('PersistentVolumeClaim')
  const { replicas, strategy, template } = deployment.spec
  expect({ replicas, strategy }).toEqual({ replicas: 1, strategy: { type: 'Recreate' } })
  expect(template.spec.securityContext.runAsNonRoot).toBe(true)
  const [container] = template.spec.containers
  for (const { name } of container.env) expect(names).toContain(name)
  expect(container.securityContext).toEqual({
    allowPrivilegeEscalation: false,
    readOnlyRootFilesystem: true,
    capabilities: { drop: ['ALL'] },
  })
  expect(container.livenessProbe.httpGet.path).toBe('/healthz')
  expect(container.readinessProbe.httpGet.path).toBe('/readyz')
  expect(container.image).toBe(`monbot:${JSON.parse(read('package.json')).version}`)
})

test('the Slack CLI gets the manifest and starts the bot', () => {
  const { hooks } = JSON.parse(read('.slack/hooks.json'))
  expect(hooks.start).toBe('npm start')
  const [command = '', ...words] = hooks['get-manifest'].split(' ')
  const printed = spawnSync(command, words, { cwd: root, encoding: 'utf8' })
  expect(JSON.parse(printed.stdout)).toEqual(parse(read('manifest.yml')))
})
