/** What fired before the first start, where the Alertmanager names it by other labels than the engine does. */
import { expect, test } from 'vitest'
import { openAlertLog } from '../../../src/service/alerts/alert-log.ts'
import { draftOf } from '../../../src/service/prometheus/alerts.ts'
import { openEngine } from '../../../src/service/prometheus/engine.ts'
import { learnHistory } from '../../../src/service/prometheus/history.ts'
import { openRuleCache } from '../../../src/service/prometheus/rule-cache.ts'
import { memoryLedger } from '../../../src/service/store/ledger.ts'
import { exporter } from '../scrape/exporters.ts'
import { load } from './alert-town.ts'
import { settings } from './made.ts'

test('what fires now is not over in the past, also where its port was cut off on its way to the Alertmanager', async () => {
  const nowMs = Date.UTC(2026, 10, 22, 10)
  const values = [1, 2, 3].map((minutes) => [nowMs / 1_000 - minutes * 60, '1']).reverse()
  const result = ['web-1:9100', 'web-2:9100'].map((instance) => ({ metric: { ...load, instance }, values }))
  const url = await exporter((_, response) => {
    response.end(JSON.stringify({ status: 'success', data: { resultType: 'matrix', result } }))
  })
  const engine = openEngine({ url: new URL(url).origin, authorization: null }, 5_000)
  const ledger = { ...memoryLedger(), isKept: true }
  const log = openAlertLog({ ledger, form: 'flip', order: 'newest', nowMs: () => nowMs })
  const labels = { ...load, instance: 'web-1', cluster: 'eu' }
  const fires = {
    fingerprint: 'f',
    labels,
    annotations: {},
    value: null,
    rule: null,
    engineAlert: null,
    isHidden: false,
  }
  log.openUpstream(draftOf({ ...fires, startsAtMs: nowMs - 180_000 }, settings))

  await learnHistory({
    engine,
    ledger,
    log,
    settings,
    rules: openRuleCache(),
    nowMs: () => nowMs,
    report: () => {},
  })
  expect(log.list('start', 0).map(({ hostname }) => hostname)).toEqual(['web-1'])
  expect(log.list('end', 0).map(({ hostname }) => hostname)).toEqual(['web-2'])
})
