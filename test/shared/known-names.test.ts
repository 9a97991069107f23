/** Variables that look like settings: what each program reads is known, what a cluster sets is left alone, the rest is said. */
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { settingNames } from '../../src/bot/config/config.ts'
import { settingNames as serviceNames } from '../../src/service/environment.ts'
import { sharedNames, unknownNames, unknownSentence } from '../../src/shared/known-names.ts'

const ours = /^(?:MONBOT|MONITOR|SLACK)_/

function unknownIn(...names: string[]) {
  return unknownNames(Object.fromEntries(names.map((name) => [name, 'x'])), settingNames)
}

test('what bot, service and workspace read is known to all of them, and nothing else is', () => {
  const workspace = readFileSync(new URL('../../src/workspace/main.ts', import.meta.url), 'utf8')
  const ofWorkspace = [...workspace.matchAll(/\b(?:MONITOR|SLACK)_[A-Z_]+\b/g)].map(([name]) => name)
  const read = new Set([...settingNames, ...serviceNames, ...ofWorkspace].filter((name) => ours.test(name)))
  expect(sharedNames.toSorted()).toEqual([...read].toSorted())
})

test('a slip is told with what is probably meant, and a name like none without', () => {
  expect(unknownIn('SLACK_BOTTOKEN', 'MONITOR_APIKEY', 'MONBOT_POLICY', 'SLACK_WEBHOOK_ADDRESS')).toEqual([
    { name: 'SLACK_BOTTOKEN', meant: 'SLACK_BOT_TOKEN' },
    { name: 'MONITOR_APIKEY', meant: 'MONITOR_API_KEY' },
    { name: 'MONBOT_POLICY', meant: null },
    { name: 'SLACK_WEBHOOK_ADDRESS', meant: null },
  ])
  expect(unknownSentence({ name: 'SLACK_BOTTOKEN', meant: 'SLACK_BOT_TOKEN' })).toBe(
    'SLACK_BOTTOKEN is no setting, and nothing reads it: did you mean SLACK_BOT_TOKEN?',
  )
})

test('a setting that is set is not what a slip means', () => {
  expect(unknownIn('SLACK_BOTTOKEN', 'SLACK_BOT_TOKEN')[0]?.meant).not.toBe('SLACK_BOT_TOKEN')
})

test('what others set is theirs: a cluster for its services, the Slack CLI, and every other name', () => {
  const names = [
    'MONBOT_SERVICE_HOST',
    'MONBOT_SERVICE_PORT_HTTP',
    'MONBOT_MONITOR_PORT',
    'MONBOT_PORT_3000_TCP_ADDR',
  ]
  expect(unknownIn(...names, 'SLACK_CLI_XOXB', 'SLACKBOT', 'PATH', 'LOG_LEVL')).toEqual([])
  expect(unknownIn('MONBOT_PORTS')).toHaveLength(1)
})
