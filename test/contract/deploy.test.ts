/** The files to run monbot with, and the container image: each is valid, and shuts it in as far as it can be. */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'
import { readConfig, secretSettings } from '../../src/bot/config/config.ts'
import { settings } from '../../src/bot/config/settings.ts'
import { readOptions } from '../../src/demo/options.ts'
import { readConfig as readServiceConfig } from '../../src/service/config/read-config.ts'
import { environmentNames, readEnvironment, secretNames } from '../../src/service/environment.ts'
import { oldestNode } from '../../src/shared/node-version.ts'
import { fileSetting } from '../../src/shared/secret-files.ts'

const root = new URL('../../', import.meta.url)
const read = (path: string) => readFileSync(new URL(path, root), 'utf8')
const names: ReadonlySet<string> = new Set([
  ...settings.map(({ name }) => name),
  ...secretSettings.map(fileSetting),
  'NODE_ENV',
])
const serviceNames = [...environmentNames, ...secretNames.map(fileSetting)]

test.each([
  ['monbot.service', 'bot/main'],
  ['monbot-monitor.service', 'service/main'],
])('the systemd unit %s is valid, and as exposed as an "OK" allows: below 3.0', (name, entry) => {
  const folder = mkdtempSync(join(tmpdir(), 'monbot-unit-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const unit = read(`deploy/${name}`)
  expect(unit).toMatch(new RegExp(`^ExecStart=/usr/bin/node .*/dist/${entry}\\.js$`, 'm'))
  expect(existsSync(new URL(`src/${entry}.ts`, root))).toBe(true)
  expect(unit).toContain(`Node ${oldestNode} or newer`)
  // It is started again after a crash, and not for ever with a setting that is wrong.
  expect(unit).toMatch(/^Restart=on-failure$/m)
  expect(unit).toMatch(/^RestartPreventExitStatus=78$/m)
  expect(unit).toMatch(/^ExecReload=\/bin\/kill -HUP \$MAINPID$/m)
  expect(unit).toMatch(/^MemoryMax=512M$/m)
  const file = join(folder, name)
  // What it starts need not be on this machine.
  writeFileSync(file, unit.replace(/^ExecStart=\S+/m, `ExecStart=${process.execPath}`))
  const verified = spawnSync('systemd-analyze', ['verify', '--man=no', file], { encoding: 'utf8' })
  expect(verified.error).toBeUndefined()
  expect(verified.stderr.split('\n').filter((line) => line.includes(name))).toEqual([])
  const options = ['security', '--offline=yes', '--threshold=30', '--no-pager', file]
  const secured = spawnSync('systemd-analyze', options, { encoding: 'utf8' })
  expect(secured.stdout).toMatch(new RegExp(`Overall exposure level for ${name}: [0-2]\\.\\d OK`))
  expect(secured.status).toBe(0)
})

test.each([
  ['monbot', 'bot/backup', settings.map(({ name }) => name)],
  ['monbot-monitor', 'service/main', environmentNames],
])(
  'a timer of systemd backs up what %s.service writes, as its user, shut in as it is',
  (name, entry, known) => {
    const folder = mkdtempSync(join(tmpdir(), 'monbot-unit-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    const [unit, timer, main] = ['-backup.service', '-backup.timer', '.service'].map((end) =>
      read(`deploy/${name}${end}`),
    )
    const lineOf = (text: string | undefined, key: string) =>
      new RegExp(`^${key}=(.*)$`, 'm').exec(text ?? '')?.[1]
    expect(existsSync(new URL(`src/${entry}.ts`, root))).toBe(true)
    expect(lineOf(unit, 'ExecStart')).toMatch(
      new RegExp(`/dist/${entry}\\.js .*--keep 14 /var/lib/${name}-backup$`),
    )
    for (const key of ['EnvironmentFile', 'DynamicUser', 'MemoryMax', 'WorkingDirectory'])
      expect(lineOf(unit, key), key).toBe(lineOf(main, key))
    // One that names no user runs as a user of its own name.
    expect([lineOf(unit, 'User'), lineOf(main, 'User')]).toEqual([name, undefined])
    expect(lineOf(unit, 'StateDirectory')).toBe(`${lineOf(main, 'StateDirectory')} ${name}-backup`)
    const [, setting = '', file] =
      /NODE_ENV=production (\w+)=(.*)$/.exec(lineOf(unit, 'Environment') ?? '') ?? []
    expect(known).toContain(setting)
    expect(lineOf(main, 'Environment')).toContain(`${setting}=${file}`)
    const shutIn = (text = '') =>
      text.slice(text.indexOf('NoNewPrivileges'), text.indexOf('SystemCallErrorNumber'))
    expect(shutIn(unit)).toBe(shutIn(main))
    const [place, when] = [join(folder, `${name}-backup.service`), join(folder, `${name}-backup.timer`)]
    writeFileSync(place, (unit ?? '').replace(/^ExecStart=\S+/m, `ExecStart=${process.execPath}`))
    writeFileSync(when, timer ?? '')
    const verified = spawnSync('systemd-analyze', ['verify', '--man=no', place, when], { encoding: 'utf8' })
    expect(verified.error).toBeUndefined()
    expect(verified.stderr.split('\n').filter((line) => line.includes(name))).toEqual([])
  },
)

test('Kubernetes backs up both volumes where they are mounted, one copy at a time', () => {
  const all = parseAllDocuments(read('deploy/kubernetes-backup.yaml')).map((one) => one.toJS())
  expect(all.map(({ kind, metadata }) => `${kind} ${metadata.name}`)).toEqual([
    'PersistentVolumeClaim monbot-backup',
    'CronJob monbot-backup',
    'PersistentVolumeClaim monbot-monitor-backup',
    'CronJob monbot-monitor-backup',
  ])
  for (const [file, job] of [
    ['kubernetes.yaml', all[1]],
    ['kubernetes-monitor.yaml', all[3]],
  ] as const) {
    const deployment = parseAllDocuments(read(`deploy/${file}`))
      .map((one) => one.toJS())
      .find(({ kind }) => kind === 'Deployment')
    const main = deployment.spec.template.spec
    const { affinity, containers, volumes, securityContext } = job.spec.jobTemplate.spec.template.spec
    expect(job.spec.concurrencyPolicy).toBe('Forbid')
    const [near] = affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution
    expect(near.labelSelector).toEqual(deployment.spec.selector)
    expect(volumes[0]).toEqual(main.volumes[0])
    expect(securityContext).toEqual(main.securityContext)
    const [container] = containers
    expect([container.image, container.securityContext]).toEqual([
      main.containers[0].image,
      main.containers[0].securityContext,
    ])
    for (const one of container.env) expect(main.containers[0].env).toContainEqual(one)
  }
})

/** As compose merges it; its variables stand as they are written. */
const composed = () => parse(read('compose.yaml'), { merge: true })

/** A value as compose reads it with this .env. */
function interpolated(value: string, env: Record<string, string> = {}): string {
  return value.replace(
    /\$\{(\w+):-([^}]*)\}/g,
    (_, name: string, otherwise: string) => env[name] || otherwise,
  )
}

test('compose runs two bots on one Postgres, beside which the one on a file is never a second memory', () => {
  const { services, volumes } = composed()
  const { bot, postgres } = services
  const pair = [services['bot-a'], services['bot-b']]
  const given = {
    MONITOR_API_KEY: 'key-0123456789',
    SLACK_BOT_TOKEN: 'xoxb-0123456789',
    SLACK_APP_TOKEN: 'xapp-0123456789',
    SLACK_CHANNEL: 'C0ALERTS',
  }
  const configOf = (environment: Record<string, string>, env: Record<string, string>) => {
    const set = Object.entries(environment).map(([name, value]) => [name, interpolated(value, env)])
    return readConfig({ ...given, ...Object.fromEntries(set) }, () => '')
  }
  const env = { POSTGRES_URL: 'postgres://monbot:secret-1@postgres/monbot' }
  for (const one of [bot, ...pair]) {
    expect(one).toMatchObject({ read_only: true, cap_drop: ['ALL'], restart: 'unless-stopped' })
    for (const name of Object.keys(one.environment)) expect(names).toContain(name)
    expect(configOf(one.environment, env).database).toMatchObject({ kind: 'postgres' })
  }
  expect(configOf(bot.environment, {}).database).toEqual({ kind: 'sqlite', path: '/data/monbot.db' })
  for (const { environment, profiles, depends_on: needs, volumes: none } of pair) {
    expect(profiles).toEqual(['postgres'])
    // Without its address they do not begin a file of their own.
    expect(() => configOf(environment, {})).toThrow('DATABASE_URL')
    expect(needs.postgres).toEqual({ condition: 'service_healthy' })
    expect(none.some((volume: string) => volume.includes('/data'))).toBe(false)
  }
  const named = pair.map(({ environment }) => configOf(environment, env).replicaName)
  expect(named).toEqual(['bot-a', 'bot-b'])
  const ports = [bot, ...pair].flatMap((one) => one.ports)
  expect(new Set(ports).size).toBe(ports.length)
  expect(postgres).toMatchObject({ profiles: ['postgres'], volumes: ['postgres:/var/lib/postgresql/data'] })
  expect(postgres.healthcheck.test).toContain('pg_isready')
  expect(Object.keys(volumes)).toContain('postgres')
})

test('compose sets only what the bot reads, and gives no container more than it needs', () => {
  const { services } = composed()
  for (const name of Object.keys(services.bot.environment)) expect(names).toContain(name)
  for (const one of [services.bot, services.service, services.prometheus]) {
    expect(one).toMatchObject({ read_only: true, cap_drop: ['ALL'] })
  }
  for (const name of Object.keys(services.service.environment)) expect(serviceNames).toContain(name)
  // The image asks /healthz, which both answer.
  expect(services.service.healthcheck).toBeUndefined()
  expect(services.prometheus.profiles).toEqual(['prometheus'])
  const [command, ...words] = services.service.command
  expect(command).toBe('node')
  expect(read(words.at(-1).replace('dist', 'src').replace('.js', '.ts'))).toContain('runService')
  // Whatever is no part of this deployment is of one version, and none is the newest of a day.
  const images = Object.values<{ image?: string }>(services).flatMap(({ image }) => image ?? [])
  expect(images.length).toBe(2)
  for (const image of images) expect(image).toMatch(/:v?\d+\.\d+(?:\.\d+)?(?:@sha256:[\da-f]{64})?$/)
})

test('compose takes every setting of both programs and every file that they name, and watches nothing of its own accord', async () => {
  const { services } = composed()
  for (const one of [services.bot, services['bot-a'], services['bot-b'], services.service]) {
    const folders = one.volumes.filter((volume: string) => volume.endsWith(':ro'))
    expect(folders).toEqual(['./config:/config:ro', './secrets:/run/secrets:ro'])
  }
  // What stands in `environment` beats the file of settings: only what the container itself decides.
  for (const one of [services.bot, services['bot-a'], services['bot-b']]) {
    expect(one.env_file).toEqual(['.env'])
    const fixed = Object.keys(one.environment).filter((name) => !/^\$/.test(one.environment[name]))
    for (const name of fixed) expect(['HOST', 'PORT', 'REPLICA_NAME']).toContain(name)
  }
  const { environment, env_file: files, ports } = services.service
  expect(files).toEqual(['deploy/compose-monitor.env', { path: 'monitor.env', required: false }])
  expect(Object.keys(environment)).toEqual(['HOST', 'PORT', 'MONITOR_API_KEY', 'MONITOR_FILE'])
  expect(ports.map((port: string) => interpolated(port))).toEqual(['127.0.0.1:9090:9090'])
  expect(interpolated(ports[0], { AGENTS_ADDRESS: '0.0.0.0' })).toBe('0.0.0.0:9090:9090')
  const usual = parseEnv(read('deploy/compose-monitor.env'))
  const of = (given: Record<string, string>) => {
    const found = readEnvironment({ ...usual, ...given, MONITOR_API_KEY: 'key-0123456789' }, null)
    return found.problems === null ? found.options : found.problems
  }
  expect(of({})).toMatchObject({ fleet: 0, sample: false })
  expect(of({ MONITOR_SAMPLE: 'on' })).toMatchObject({ fleet: 0, sample: true })
  for (const name of Object.keys(usual)) expect(environmentNames).toContain(name)
})

test('the demo has a compose file of its own, whose page only this machine reaches', () => {
  const { services } = parse(read('compose.demo.yaml'))
  expect(Object.keys(services)).toEqual(['demo'])
  const { command, ports, environment, ...rest } = services.demo
  const [node, quiet, file, ...words] = command
  expect(JSON.parse(read('package.json')).scripts.demo).toContain(`${node} ${quiet} `)
  expect(existsSync(new URL(file.replace('dist', 'src').replace('.js', '.ts'), root))).toBe(true)
  expect(readOptions(words)).toMatchObject({ host: '0.0.0.0', night: null })
  expect(ports).toEqual([`127.0.0.1:8080:${environment.PORT}`])
  expect(rest).toMatchObject({ read_only: true, cap_drop: ['ALL'], tmpfs: ['/tmp'] })
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

test('Kubernetes runs two on one Postgres, replaces one at a time, and lets neither begin a file', () => {
  const all = parseAllDocuments(read('deploy/kubernetes-postgres.yaml')).map((one) => one.toJS())
  const [deployment, budget, service] = all
  expect(all.map(({ kind }) => kind)).toEqual(['Deployment', 'PodDisruptionBudget', 'Service'])
  // One that is applied over the other replaces it: never both.
  const alone = parseAllDocuments(read('deploy/kubernetes.yaml')).map((one) => one.toJS())[1]
  expect(deployment.metadata).toEqual(alone.metadata)
  expect(deployment.spec.selector).toEqual(alone.spec.selector)
  const { replicas, strategy, template } = deployment.spec
  expect(replicas).toBe(2)
  expect(strategy).toEqual({ type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } })
  expect(budget.spec).toEqual({ maxUnavailable: 1, selector: deployment.spec.selector })
  expect(service.spec.selector).toEqual(template.metadata.labels)
  const { containers, volumes, securityContext, affinity, terminationGracePeriodSeconds } = template.spec
  // The bot ends itself after 25 s.
  expect(terminationGracePeriodSeconds).toBeGreaterThan(25)
  expect([volumes, securityContext.runAsNonRoot]).toEqual([undefined, true])
  expect(affinity.podAntiAffinity).toHaveProperty('preferredDuringSchedulingIgnoredDuringExecution')
  const [container] = containers
  const by = (name: string) => container.env.find((one: { name: string }) => one.name === name)
  for (const { name } of container.env) expect(names).toContain(name)
  // The image has a file as its default: without the key the pod must not start.
  expect(by('DATABASE_URL').valueFrom).toEqual({ secretKeyRef: { name: 'monbot', key: 'DATABASE_URL' } })
  expect(by('REPLICA_NAME').valueFrom).toEqual({ fieldRef: { fieldPath: 'metadata.name' } })
  expect(container.volumeMounts).toBeUndefined()
  const probes = [container.livenessProbe, container.readinessProbe, container.startupProbe]
  expect(probes.map(({ httpGet }) => httpGet.path)).toEqual(['/healthz', '/readyz', '/healthz'])
  expect(container.securityContext).toMatchObject({
    readOnlyRootFilesystem: true,
    capabilities: { drop: ['ALL'] },
  })
  expect(container.image).toBe(`monbot:${JSON.parse(read('package.json')).version}`)
})

test('Kubernetes runs the monitoring service in the same way, with settings and a file that it takes', async () => {
  const [config, claim, service, deployment, ...others] = parseAllDocuments(
    read('deploy/kubernetes-monitor.yaml'),
  ).map((one) => one.toJS())
  expect([others, config.kind, claim.kind, service.kind]).toEqual([
    [],
    'ConfigMap',
    'PersistentVolumeClaim',
    'Service',
  ])
  const { replicas, strategy, template } = deployment.spec
  expect({ replicas, strategy }).toEqual({ replicas: 1, strategy: { type: 'Recreate' } })
  expect(template.spec.securityContext.runAsNonRoot).toBe(true)
  const [container] = template.spec.containers
  expect(container.securityContext).toEqual({
    allowPrivilegeEscalation: false,
    readOnlyRootFilesystem: true,
    capabilities: { drop: ['ALL'] },
  })
  for (const probe of ['livenessProbe', 'readinessProbe', 'startupProbe'])
    expect(container[probe].httpGet.path).toBe('/healthz')
  expect(container.image).toBe(`monbot:${JSON.parse(read('package.json')).version}`)
  expect(container.command.at(-1)).toBe('dist/service/main.js')
  const folder = mkdtempSync(join(tmpdir(), 'monbot-manifest-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  // With the token that is only a comment there, too.
  const text: string = config.data['monitor.yml']
  const lines = text.replace(/^ *# +(?=url:|tls:)/gm, '  ').split('\n')
  const withToken = lines.filter((line) => !/^ +url: http|^ *#/.test(line)).join('\n')
  for (const [n, one] of [text, withToken.replace(/, *\n\s*tls: .*\}/, ' }')].entries()) {
    writeFileSync(join(folder, `${n}.yml`), one)
    const { problems, config: taken } = await readServiceConfig(join(folder, `${n}.yml`))
    expect(problems).toEqual([])
    const env = Object.fromEntries(
      container.env.map(({ name, value }: Record<string, string>) => [name, value]),
    )
    const found = readEnvironment({ ...env, MONITOR_API_KEY: 'key-0123456789' }, taken)
    expect(found).toMatchObject({ problems: null, options: { host: '0.0.0.0', port: 9_095 } })
    const { engine } = (found.problems === null && found.options.prometheus) || {}
    expect(engine?.tokenFile).toBe(n === 0 ? undefined : '/var/run/secrets/monbot/token')
    expect(service.spec.ports[0].port).toBe(9_095)
  }
})

test('the Slack CLI gets the manifest and starts the bot', () => {
  const { hooks } = JSON.parse(read('.slack/hooks.json'))
  expect(hooks.start).toBe('npm start')
  const [command = '', ...words] = hooks['get-manifest'].split(' ')
  const printed = spawnSync(command, words, { cwd: root, encoding: 'utf8' })
  expect(JSON.parse(printed.stdout)).toEqual(parse(read('manifest.yml')))
})

const dockerfile = readFileSync(new URL('Dockerfile', root), 'utf8')
const kept = readFileSync(new URL('.dockerignore', root), 'utf8')
  .split('\n')
  .flatMap((line) => (line.startsWith('!') ? [line.slice(1)] : []))

const sources = [...dockerfile.matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(
  (copy) => copy[1]?.split(' ') ?? [],
)

test('what it copies exists and is let through by .dockerignore, and nothing else is', () => {
  expect(sources).toContain('src')
  for (const source of sources) expect(existsSync(new URL(source, root)), source).toBe(true)
  expect(new Set(kept)).toEqual(new Set(sources))
})

test('its settings are settings that the bot takes', () => {
  const block = /^ENV ((?:.*\\\n)*.*)$/m.exec(dockerfile)?.[1] ?? ''
  const env = Object.fromEntries(
    [...block.matchAll(/([A-Z_]+)=(\S+)/g)].map(([, name, value]) => [name, value]),
  )
  const given = {
    MONITOR_URL: 'https://monitor.example',
    MONITOR_API_KEY: 'key-0123456789',
    SLACK_BOT_TOKEN: 'xoxb-0123456789',
    SLACK_APP_TOKEN: 'xapp-0123456789',
    SLACK_CHANNEL: 'C0ALERTS',
  }
  const config = readConfig({ ...given, ...env }, () => '')
  expect(config).toMatchObject({ host: '0.0.0.0', port: 3000, database: { path: '/data/monbot.db' } })
  expect(dockerfile).toMatch(/^VOLUME \/data$/m)
})

test('it does not run as root', () => {
  expect(dockerfile.lastIndexOf('USER node')).toBeGreaterThan(dockerfile.lastIndexOf('RUN '))
})

const healthCheck = /HEALTHCHECK[\s\S]*?CMD (\[.*\])$/m.exec(dockerfile)?.[1] ?? '[]'

async function exitOfHealthCheck(port: number): Promise<unknown> {
  const [, ...args]: string[] = JSON.parse(healthCheck)
  const check = spawn(process.execPath, args, { env: { PORT: String(port) }, stdio: 'ignore' })
  const [code] = await once(check, 'exit')
  return code
}

test.each([
  [200, 0],
  [503, 1],
])('its health check, against a real server that answers %i, exits with %i', async (status, code) => {
  const asked: (string | undefined)[] = []
  const server = createServer((request, response) => {
    asked.push(request.url)
    response.writeHead(status).end()
  }).listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the server has no port')
  expect(await exitOfHealthCheck(address.port)).toBe(code)
  expect(asked).toEqual(['/healthz'])
})

test('its health check fails where nobody listens', async () => {
  expect(await exitOfHealthCheck(1)).toBe(1)
})
