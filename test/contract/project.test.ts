/** What the project says of itself to those who build, release and report: workflows that are pinned, and files that agree. */
import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { parse } from 'yaml'

const root = new URL('../../', import.meta.url)
const read = (path: string) => readFileSync(new URL(path, root), 'utf8')
const { version, repository } = JSON.parse(read('package.json'))

type Step = {
  readonly uses?: string
  readonly run?: string
  readonly with?: Readonly<Record<string, unknown>>
}
type Job = {
  readonly permissions?: Record<string, string>
  readonly needs?: string
  readonly steps: readonly Step[]
}
type Workflow = {
  readonly on: Readonly<Record<string, unknown>>
  readonly permissions: unknown
  readonly jobs: Readonly<Record<string, Job>>
}
const files = readdirSync(new URL('.github/workflows/', root))
const workflowOf = (file: string): Workflow => parse(read(`.github/workflows/${file}`))
const stepsOf = ({ jobs }: Workflow) => Object.values(jobs).flatMap(({ steps }) => steps)
const has = (job: Job | undefined, words: RegExp) =>
  job?.steps.some(({ run = '', uses = '' }) => words.test(run + uses))

test.each(files)(
  '%s uses actions by their commit, the same everywhere, with no more rights than it needs',
  (file) => {
    const text = read(`.github/workflows/${file}`)
    const used = [...text.matchAll(/uses: *(\S+)(.*)$/gm)]
    expect(used.length).toBeGreaterThan(0)
    for (const [, action = '', comment = ''] of used) {
      expect(action).toMatch(/^[\w-]+\/[\w-]+@[\da-f]{40}$/)
      expect(comment, action).toMatch(/^ # v\d+\.\d+\.\d+$/)
    }
    const workflow = workflowOf(file)
    expect(workflow.permissions).toEqual({ contents: 'read' })
    expect(Object.keys(workflow.on)).not.toContain('pull_request_target')
    for (const { uses = '', with: given } of stepsOf(workflow)) {
      // What a test runs must not find a token that writes.
      if (uses.startsWith('actions/checkout@')) expect(given).toEqual({ 'persist-credentials': false })
    }
  },
)

test('one action has one commit in all workflows', () => {
  const all = new Set(files.flatMap((file) => stepsOf(workflowOf(file)).flatMap(({ uses }) => uses ?? [])))
  const names = [...all].map((one) => one.split('@')[0])
  expect(new Set(names).size).toBe(names.length)
})

test('a push and a pull request run what a commit must hold, and build the image for both kinds of machine', () => {
  const { on, jobs } = workflowOf('ci.yml')
  expect(Object.keys(on)).toEqual(['push', 'pull_request'])
  expect(has(jobs.test, /^\.ci\/run/)).toBe(true)
  const [build] = (jobs.image?.steps ?? []).filter(({ uses = '' }) =>
    uses.startsWith('docker/build-push-action'),
  )
  expect(build?.with).toMatchObject({ platforms: 'linux/amd64,linux/arm64', push: false })
})

test('a tag publishes the package and the image with provenance, once everything holds', () => {
  const { on, jobs } = workflowOf('release.yml')
  expect(on).toEqual({ push: { tags: ['v*'] } })
  const { package: packed, image } = jobs
  const runs = packed?.steps.map(({ run = '' }) => run) ?? []
  const at = (words: RegExp) => runs.findIndex((run) => words.test(run))
  expect(at(/^test "v/)).toBeGreaterThanOrEqual(0)
  expect(at(/^\.ci\/run/)).toBeGreaterThan(at(/^test "v/))
  expect(at(/^npm publish --provenance /)).toBeGreaterThan(at(/^\.ci\/run/))
  expect(packed?.permissions).toMatchObject({ 'id-token': 'write' })
  expect(runs.join('\n')).not.toMatch(/TOKEN=|_authToken/)
  expect(image?.needs).toBe('package')
  const [build] = (image?.steps ?? []).filter(({ uses = '' }) => uses.startsWith('docker/build-push-action'))
  expect(build?.with).toMatchObject({
    platforms: 'linux/amd64,linux/arm64',
    provenance: 'mode=max',
    sbom: true,
    // As the version is written in the manifests and the chart, without the tag's v.
    tags: expect.stringMatching(
      /^\$\{\{ steps\.name\.outputs\.image \}\}:\$\{\{ steps\.name\.outputs\.version \}\}$/,
    ),
  })
  expect(has(image, /echo "version=\$\{GITHUB_REF_NAME#v\}"/)).toBe(true)
  for (const job of [packed, image]) expect(has(job, /attest-build-provenance@/)).toBe(true)
  // Where it is published from is known there alone, and no other address is made up.
  expect(repository).toBeUndefined()
  for (const key of ['repository.url', 'bugs.url', 'homepage']) expect(runs.join('\n')).toContain(`"${key}=`)
})

test('the version is that of the lock, of the images and of the changelog’s first section', () => {
  const lock = JSON.parse(read('package-lock.json'))
  expect([lock.version, lock.packages[''].version]).toEqual([version, version])
  const [heading] = /^## .*$/m.exec(read('CHANGELOG.md')) ?? []
  expect([`## ${version}`, `## ${version} (unreleased)`]).toContain(heading)
  for (const file of readdirSync(new URL('deploy/', root))) {
    if (!/^kubernetes.*\.yaml$/.test(file)) continue
    for (const [, tag] of read(`deploy/${file}`).matchAll(/image: monbot:(\S+)/g))
      expect(tag, file).toBe(version)
  }
})

test('the image starts from one version of Node, the same in each stage, and Renovate pins it', () => {
  const from = [...read('Dockerfile').matchAll(/^FROM (node:\S+)/gm)].map(([, image]) => image)
  expect(from.length).toBe(2)
  expect(new Set(from).size).toBe(1)
  expect(from[0]).toMatch(/^node:24\.\d+\.\d+-slim(?:@sha256:[\da-f]{64})?$/)
  const { extends: presets } = JSON.parse(read('renovate.json'))
  expect(presets).toEqual(expect.arrayContaining(['docker:pinDigests', 'helpers:pinGitHubActionDigests']))
})

test('whoever reports something finds where, and is asked for nothing that does not exist', () => {
  expect(read('SECURITY.md')).toContain('Report a vulnerability')
  for (const file of ['bug.yml', 'idea.yml']) {
    const { name, description, body } = parse(read(`.github/ISSUE_TEMPLATE/${file}`))
    expect([name, description]).not.toContain(undefined)
    const ids = body.map(({ id }: { id: string }) => id)
    expect(new Set(ids).size).toBe(ids.length)
    for (const { type, attributes } of body) {
      expect(['textarea', 'input', 'dropdown']).toContain(type)
      expect(attributes.label).toBeTruthy()
      if (type === 'dropdown') expect(attributes.options.length).toBeGreaterThan(1)
    }
  }
  expect(existsSync(new URL('.github/pull_request_template.md', root))).toBe(true)
})

test('what the image, units, charts and documents start is what the build makes', () => {
  const starters = ['Dockerfile', ...globSync(['compose*.yaml', 'deploy/**/*', 'docs/*.md'], { cwd: root })]
  const started = starters
    .filter((path) => /\.\w+$|Dockerfile/.test(path))
    .flatMap((path) => [...read(path).matchAll(/\bdist\/([\w/-]+)\.js\b/g)].map(([, entry]) => entry))
  expect(started.length).toBeGreaterThan(5)
  expect([...new Set(started)].filter((entry) => !existsSync(new URL(`src/${entry}.ts`, root)))).toEqual([])
})
