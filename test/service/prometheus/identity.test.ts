/** Which labels make an alert the same trouble as an earlier one. */
import { expect, test } from 'vitest'
import { identityOf, troubleOf, withoutReplica } from '../../../src/service/prometheus/identity.ts'

const disk = { alertname: 'DiskFull', instance: 'db-1:9100', mountpoint: '/data', severity: 'critical' }
const pod = { alertname: 'PodCrashes', namespace: 'pay', pod: 'web-7d4b9c-x2x9v', instance: '10.0.0.5:8080' }
const deployment = { patterns: { pod: 'web-[a-z0-9]+-[a-z0-9]{5}' } }

test('all labels are matched but those that are new after each restart, and an empty one is none', () => {
  const passing = {
    uid: '1',
    container_id: '2',
    id: '/kubepods/3',
    endpoint: 'http',
    prometheus_replica: 'a',
  }
  expect(identityOf({ ...disk, ...passing, job: '' })).toEqual(
    Object.entries(disk).map(([name, value]) => ({ name, value, isRegex: false, isEqual: true })),
  )
})

test.each([
  ['its labels in another order', Object.fromEntries(Object.entries(disk).reverse()), true],
  ['another uid', { ...disk, uid: 'x' }, true],
  ['another sender', { ...disk, prometheus_replica: 'b' }, true],
  ['another volume', { ...disk, mountpoint: '/' }, false],
  ['another severity', { ...disk, severity: 'warning' }, false],
  ['a label more', { ...disk, cluster: 'eu' }, false],
  ['a label less', { ...disk, mountpoint: '' }, false],
])('an alert with %s: %j is the same trouble: %s', (_, labels, isSame) => {
  expect(troubleOf(labels) === troubleOf(disk)).toBe(isSame)
})

test('a trouble is a word of the API, also without labels, or with odd ones', () => {
  for (const labels of [{}, disk, JSON.parse('{"__proto__":"x","wéb":"<!channel>"}')])
    expect(troubleOf(labels)).toMatch(/^\w{1,64}$/)
  // Names and values are told apart, wherever one ends.
  expect(troubleOf({ a: 'b=c' })).not.toBe(troubleOf({ 'a=b': 'c' }))
})

test('a pod of a known owner is the owner, whichever pod it is and whatever its address; and no text that looks like its pattern', () => {
  const next = { ...pod, pod: 'web-7d4b9c-k8s4p', instance: '10.0.0.9:8080' }
  expect(identityOf(pod, deployment)).toEqual([
    { name: 'alertname', value: 'PodCrashes', isRegex: false, isEqual: true },
    { name: 'namespace', value: 'pay', isRegex: false, isEqual: true },
    { name: 'pod', value: 'web-[a-z0-9]+-[a-z0-9]{5}', isRegex: true, isEqual: true },
  ])
  expect(troubleOf(next, deployment)).toBe(troubleOf(pod, deployment))
  expect(troubleOf(next)).not.toBe(troubleOf(pod))
  const literal = { ...pod, pod: deployment.patterns.pod, instance: '' }
  expect(troubleOf(literal)).not.toBe(troubleOf(pod, deployment))
  // An address stays where the pattern is of something else.
  expect(identityOf(disk, deployment).map(({ name }) => name)).toContain('instance')
})

test('what only says which exporter reports it is left out', () => {
  const replicas = {
    alertname: 'ReplicasMissing',
    deployment: 'web',
    instance: '10.0.0.7:8080',
    pod: 'ksm-1',
  }
  const told = { reporter: ['instance', 'pod'] }
  const elsewhere = { ...replicas, instance: '10.0.0.8:8080', pod: 'ksm-2' }
  expect(troubleOf(elsewhere, told)).toBe(troubleOf(replicas, told))
  expect(identityOf(replicas, told).map(({ name }) => name)).toEqual(['alertname', 'deployment'])
})

test.each([
  ['one that the engine does not know', null, ['alertname']],
  ["one of a Prometheus with external labels, which its own list doesn't have", {}, ['alertname']],
  ['one whose engine shows its external labels with the rule', { rule: true, alert: true }, ['alertname']],
  ['one of a database that has replicas', { alert: true }, ['alertname', 'replica']],
])('of %s these labels stay: %j %j', (_, known, names) => {
  const has = (is?: boolean) => (is ? { labels: { replica: 'a' } } : { labels: {} })
  const given: { readonly alert?: boolean; readonly rule?: boolean } | null = known
  const own = given === null ? null : { alert: has(given.alert), rule: has(given.rule) }
  const labels = { alertname: 'Lag', replica: 'a', prometheus_replica: 'p' }
  expect(Object.keys(withoutReplica(labels, own))).toEqual(names)
})
