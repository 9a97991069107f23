/**
 * The Helm chart, by its structure: neither npm nor Debian brings Helm, so nothing here renders it. Its templates use a few forms
 * alone, every value that they name exists, and what is left without them is YAML that says what the other manifests say.
 */
import { lstatSync, readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { parse, parseAllDocuments, parseDocument } from 'yaml'
import { z } from 'zod'
import { settings } from '../../src/bot/config/settings.ts'

const root = new URL('../../', import.meta.url)
const read = (path: string) => readFileSync(new URL(path, root), 'utf8')
const folder = 'deploy/helm/monbot/'
const values = parse(read(`${folder}values.yaml`))
const templates = readdirSync(new URL(`${folder}templates`, root)).map((name) => ({
  name,
  text: read(`${folder}templates/${name}`),
}))

/** The forms of an action; each is known to Helm since its version 3.0. */
const path = String.raw`\.Values(?:\.\w+)+`
const form = new RegExp(
  `^(?:if (?:not )?${path}|else|end|range (?:\\$name, \\$value := )?${path}|\\.Release\\.Name|\\.|\\$name|\\$value \\| quote|` +
    `${path}(?: \\| (?:default \\.Release\\.Name|toJson|sha256sum|quote))*|` +
    `printf "%s:%s" ${path} \\(${path} \\| default \\.Chart\\.AppVersion\\) \\| quote|` +
    `\\.Files\\.Get "monbot\\.rules\\.yml" \\| fromYaml \\| toJson)$`,
)
const actionsOf = (text: string) =>
  [...text.matchAll(/\{\{-? (.*?) -?\}\}/g)].map(([, action = '']) => action)

/** What all branches together say, with `x` for each value. */
function skeleton(text: string) {
  const lines = text.split('\n').filter((line) => !/^\s*\{\{-.*\}\}$/.test(line))
  const document = parseDocument(lines.join('\n').replace(/\{\{-? .*? -?\}\}/g, 'x'), { uniqueKeys: false })
  expect(document.errors).toEqual([])
  return document.toJS()
}

test.each(templates)(
  '$name uses the known forms alone, closes what it opens and names values that exist',
  ({ text }) => {
    let open = 0
    expect(text.match(/\{\{/g)?.length).toBe(actionsOf(text).length)
    for (const action of actionsOf(text)) {
      expect(action).toMatch(form)
      if (/^(?:if|range)\b/.test(action)) open += 1
      if (action === 'end') open -= 1
      expect(open).toBeGreaterThanOrEqual(0)
      if (action === 'else') expect(open).toBeGreaterThan(0)
      for (const [, name = ''] of action.matchAll(/\.Values\.([\w.]+)/g)) {
        const found = name.split('.').reduce((at, key) => at?.[key], values)
        expect(found, name).not.toBe(undefined)
      }
    }
    expect(open).toBe(0)
    // A line that begins an object must not hold a control form beside a value, which would leave the line half.
    for (const line of text.split('\n'))
      if (/\{\{-? (?:if|else|end|range)\b/.test(line)) expect(line).toMatch(/^\s*\{\{- [^}]*\}\}$/)
    expect(skeleton(text)).toMatchObject({ kind: expect.any(String), metadata: { name: 'x' } })
  },
)

test('the values fit their schema, which refuses a name that there is not', () => {
  const schema = z.fromJSONSchema(JSON.parse(read(`${folder}values.schema.json`)))
  expect(schema.safeParse(values).success).toBe(true)
  expect(schema.safeParse({ ...values, replicas: 0 }).success).toBe(false)
  expect(schema.safeParse({ ...values, replicaCount: 2 }).success).toBe(false)
  // A setting that the chart had of its own would beat the one in the secret.
  expect(values.env).toEqual({})
  const { version, appVersion } = parse(read(`${folder}Chart.yaml`))
  const own = JSON.parse(read('package.json')).version
  expect([version, String(appVersion)]).toEqual([own, own])
})

test('it shuts the bot in, asks and ends it as the other manifests do', () => {
  const text = templates.find(({ name }) => name === 'deployment.yaml')?.text ?? ''
  const pod = skeleton(text).spec.template.spec
  const [alone, shared] = ['kubernetes.yaml', 'kubernetes-postgres.yaml'].map(
    (file) =>
      parseAllDocuments(read(`deploy/${file}`))
        .map((one) => one.toJS())
        .find(({ kind }) => kind === 'Deployment').spec,
  )
  const [container] = pod.containers
  const [other] = shared.template.spec.containers
  for (const key of ['livenessProbe', 'readinessProbe', 'startupProbe', 'securityContext', 'ports'])
    expect(container[key], key).toEqual(other[key])
  for (const key of ['securityContext', 'terminationGracePeriodSeconds', 'automountServiceAccountToken'])
    expect({ ...shared.template.spec, securityContext: alone.template.spec.securityContext }).toMatchObject({
      [key]: pod[key],
    })
  const [onPostgres = '', onFile = ''] =
    /if \.Values\.postgres \}\}\n([\s\S]*?)\{\{- end/.exec(text)?.[1]?.split(/ *\{\{- else \}\}\n/) ?? []
  expect(parse(onPostgres.replace(/\{\{ \.Values\.replicas \}\}/, String(values.replicas)))).toEqual({
    replicas: shared.replicas,
    strategy: shared.strategy,
    minReadySeconds: shared.minReadySeconds,
  })
  expect(parse(onFile)).toEqual({ replicas: alone.replicas, strategy: alone.strategy })
  const names: readonly string[] = settings.map(({ name }) => name)
  for (const { name } of container.env) if (name !== 'x') expect(names).toContain(name)
  expect(container.volumeMounts.map(({ mountPath }: { mountPath: string }) => mountPath)).toEqual([
    '/config',
    '/data',
  ])
  expect(values.resources).toEqual(other.resources)
  // By it deploy/kubernetes-backup.yaml finds the machine that has the volume, and by a fixed one it would find other releases, too.
  const released = skeleton(text.replaceAll('{{ .Release.Name }}', 'monbot'))
  expect(released.spec.template.metadata.labels).toMatchObject(alone.selector.matchLabels)
  expect(skeleton(text).spec.template.metadata.labels.app).toBe('x')
})

test('its rules are a copy of deploy/monbot.rules.yml, as npm leaves links out of a package', () => {
  expect(lstatSync(new URL(`${folder}monbot.rules.yml`, root)).isFile()).toBe(true)
  expect(read(`${folder}monbot.rules.yml`)).toBe(read('deploy/monbot.rules.yml'))
})
