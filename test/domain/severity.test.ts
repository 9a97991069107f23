/** How bad an alert is: the words of other tools, the rules of the policy, and what comes first. */
import { expect, test } from 'vitest'
import { severityOf, worstFirst } from '../../src/domain/alert/severity.ts'
import { gradeOf } from '../../src/domain/alert/severity-rules.ts'
import { anAlert } from '../support/delivery-world.ts'

test.each([
  ['critical', 'critical'],
  [' CRIT ', 'critical'],
  ['Error', 'critical'],
  ['high', 'critical'],
  ['P1', 'critical'],
  ['SEV-1', 'critical'],
  ['warn', 'warning'],
  ['Medium', 'warning'],
  ['information', 'info'],
  ['ok', 'info'],
  ['P5', 'info'],
  ['', null],
  ['not ok', null],
  ['non-critical', null],
  ['critical warning', null],
  ['constructor', null],
  ['критично', null],
])('%j means %j', (word, severity) => {
  expect(severityOf(word)).toBe(severity)
})

const disks = { match: { plugin: 'Disk *' }, is: 'critical' } as const
const databases = { match: { role: 'db' }, is: 'info' } as const

test.each([
  ['a rule wins over what the API says', { plugin: 'Disk /', saidSeverity: 'info' }, 'critical'],
  ['the first of two rules wins', { plugin: 'Disk /', roles: ['db'] }, 'critical'],
  ['a rule by role', { plugin: 'CPU', roles: ['db'] }, 'info'],
  ['without a rule the API says it', { plugin: 'CPU', saidSeverity: 'critical' }, 'critical'],
  ['without either it is a warning', { plugin: 'CPU' }, 'warning'],
] as const)('%s', (_, over, severity) => {
  expect(gradeOf(anAlert('1', over), [disks, databases])).toBe(severity)
})

test('critical ones come first, and those that are equally bad stay in their order', () => {
  const alerts = (['info', 'warning', 'critical', 'warning', 'critical'] as const).map((severity, n) =>
    anAlert(`${n}`, { severity }),
  )
  expect(worstFirst(alerts).map(({ alertId }) => alertId)).toEqual(['2', '4', '1', '3', '0'])
})
