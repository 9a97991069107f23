/**
 * Reads what the monitoring service says into shapes that the pane relies on; what does not fit is left out. Times are epoch
 * milliseconds.
 *
 * @typedef {{ name: string, roles: string[], isMuted: boolean, noDataGroup: string, lastSampleMs: number | null,
 *   isThisMachine: boolean }} Server
 * @typedef {{ server: string, plugin: string, title: string, atMs: number, isMuted: boolean }} OpenAlert
 * @typedef {{ notes: string, atMs: number }} Marker
 * @typedef {{ scenario: string, server: string, endsAtMs: number }} Run
 * @typedef {{ nowMs: number, isAccountOn: boolean, servers: Server[], alerts: OpenAlert[], markers: Marker[],
 *   runs: Run[], busyUntilMs: number | null }} Town
 * @typedef {{ kind: 'down' | 'late' | 'other', endsAtMs: number | null }} ServiceFault
 * @typedef {{ type: string, source: string, metric: string, label: string }} Metric
 * @typedef {{ side: string, value: number, isMet: boolean, condition: string }} Limit
 * @typedef {{ fromMs: number, untilMs: number | null, isAccount: boolean }} Mute
 * @typedef {{ server: string, metric: Metric, units: string, precision: number, nowMs: number, fromMs: number, stepMs: number,
 *   points: ([number, number, number] | null)[], value: number | null, limits: Limit[], mutes: Mute[], markers: Marker[],
 *   metrics: Metric[] }} Series
 */

/** @param {unknown} value @returns {value is Record<string, unknown>} */
export function isFields(value) {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** @param {unknown} value @returns {Record<string, unknown>} */
const fieldsOf = (value) => (isFields(value) ? value : {})
/** @param {unknown} value @returns {Record<string, unknown>[]} */
const listOf = (value) => (Array.isArray(value) ? value.filter(isFields) : [])
/** @param {unknown} value @returns {string} */
const textOf = (value) => (typeof value === 'string' ? value : '')
/** @param {unknown} value @returns {number | null} */
const numberOf = (value) => (typeof value === 'number' && Number.isFinite(value) ? value : null)
/** @param {unknown} value @returns {number | null} */
const timeOf = (value) => numberOf(typeof value === 'string' ? Date.parse(value) : null)

/** @param {Record<string, unknown>} body @returns {Town} */
export function readTown(body) {
  const running = fieldsOf(body.running)
  return {
    nowMs: timeOf(body.now) ?? Date.now(),
    isAccountOn: fieldsOf(body.account).notifications !== false,
    servers: listOf(body.servers).map((one) => ({
      name: textOf(one.hostname),
      roles: Array.isArray(one.roles) ? one.roles.map(textOf) : [],
      isMuted: one.notifications === false,
      noDataGroup: textOf(one.no_data_notification_group),
      lastSampleMs: timeOf(one.last_sample),
      isThisMachine: one.kind === 'machine',
    })),
    alerts: listOf(body.open_alerts).map((one) => ({
      server: textOf(one.server),
      plugin: textOf(one.plugin),
      title: textOf(one.title),
      atMs: timeOf(one.time) ?? 0,
      isMuted: one.muted === true,
    })),
    markers: listOf(body.markers).map((one) => ({ notes: textOf(one.notes), atMs: timeOf(one.time) ?? 0 })),
    runs: listOf(running.scenarios).map((one) => ({
      scenario: textOf(one.scenario),
      server: textOf(one.server),
      endsAtMs: numberOf(one.ends_at_ms) ?? 0,
    })),
    busyUntilMs: numberOf(running.busy_until_ms),
  }
}

/** @param {Record<string, unknown>} body @returns {ServiceFault[]} */
export function readServiceFaults(body) {
  return listOf(body.faults).map((one) => ({
    kind: numberOf(one.status) !== null ? 'down' : (numberOf(one.delayMs) ?? 0) > 0 ? 'late' : 'other',
    endsAtMs: numberOf(one.ends_at_ms),
  }))
}

/** Until when Slack answers posts with 429; true: with no end to it. @param {Record<string, unknown>} body @returns {number | boolean} */
export function readRateLimit(body) {
  const fault = listOf(body.faults).findLast((one) => fieldsOf(one.effect).kind === 'ratelimited')
  return fault === undefined ? false : (numberOf(fault.endsAtMs) ?? true)
}

/** @param {Record<string, unknown>} one @returns {Metric} */
const readMetric = ({ type, source, metric, label }) => ({
  type: textOf(type),
  source: textOf(source),
  metric: textOf(metric),
  label: textOf(label),
})

/** @param {Record<string, unknown>} body @returns {Series} */
export function readSeries(body) {
  return {
    server: textOf(body.server),
    metric: readMetric(body),
    units: textOf(body.units),
    precision: numberOf(body.precision) ?? 1,
    nowMs: numberOf(body.now_ms) ?? Date.now(),
    fromMs: numberOf(body.from_ms) ?? 0,
    stepMs: Math.max(1, numberOf(body.step_ms) ?? 1_000),
    points: (Array.isArray(body.points) ? body.points : []).map(readPoint),
    value: numberOf(body.value),
    limits: listOf(body.limits).map((one) => ({
      side: textOf(one.side),
      value: numberOf(one.value) ?? 0,
      isMet: one.met === true,
      condition: textOf(one.condition),
    })),
    mutes: listOf(body.mutes).map((one) => ({
      fromMs: numberOf(one.from_ms) ?? 0,
      untilMs: numberOf(one.until_ms),
      isAccount: one.scope === 'account',
    })),
    markers: listOf(body.markers).map((one) => ({
      notes: textOf(one.notes),
      atMs: numberOf(one.at_ms) ?? 0,
    })),
    metrics: listOf(body.metrics).map(readMetric),
  }
}

/** @param {unknown} point @returns {[number, number, number] | null} */
function readPoint(point) {
  if (!Array.isArray(point)) return null
  const [low, mean, high] = point.map(numberOf)
  return low == null || mean == null || high == null ? null : [low, mean, high]
}
