/** Every operation of the API as one table: what it is called, what it takes, what it does (docs/api.md#operations). */
import { z } from 'zod'
import {
  blocksMax,
  chosenServers,
  durationNames,
  keyFor,
  metricTypes,
  rounded,
  windowOf,
} from '../metrics.ts'
import { type Point, quoted, Refusal } from '../source.ts'
import { recordOf } from './alert-record.ts'
import { muteOperations } from './mute-operations.ts'
import {
  count,
  type Desk,
  filter,
  names,
  noInput,
  type Operation,
  oneOf,
  operation,
  parameter,
  text,
  truth,
} from './operation.ts'

const bySwitch = { untilMs: null, by: 'the API' }

const serverInput = z
  .object({ notifications: truth.optional(), no_data_notification_group: text(200).optional() })
  .refine((input) => input.notifications !== undefined || input.no_data_notification_group !== undefined, {
    error: 'notifications: expected true or false; came nothing',
  })

/** Of which the newest are listed. */
const markersMax = 50
const markerInput = z.object({ notes: text(2000), by: filter })

const alertsInput = z.object({
  lifecycle: oneOf(['start', 'end', 'all']).prefault('all'),
  offset: count.prefault('0'),
})
const metricInput = z.object({
  metric_name: text(300),
  metric_type: oneOf(metricTypes),
  metric_source_name: filter,
  server: filter,
  environment: filter,
  role: filter,
  duration: oneOf(durationNames).prefault('5 hours'),
  display: oneOf(['range', 'breakout']).prefault('range'),
  alert: parameter('the number of an alert', (said) => (/^\d{0,16}$/.test(said) ? said : undefined)).prefault(
    '',
  ),
})

export const operations: readonly Operation[] = [
  operation('GET', '/alerts.json', alertsInput, async (desk, { lifecycle, offset }) => {
    const { doubt } = await desk.loop.fresh()
    const listed = desk.ledger.list(lifecycle, offset)
    return {
      message: `${listed.length} alerts from offset ${offset}`,
      ...(doubt === null ? {} : { doubt }),
      results: listed.map((one) => recordOf(one, desk)),
    }
  }),
  operation('GET', '/triggers.json', noInput, async ({ loop }) => {
    const { triggers } = await loop.fresh()
    const results = triggers.map(({ id, condition, metric, maxValue, lowValue, durationMs }) => ({
      id,
      condition,
      metric,
      max_value: maxValue,
      low_value: lowValue,
      duration_in_seconds: Math.round(durationMs / 1000),
    }))
    return { message: `${results.length} triggers`, results }
  }),
  operation('GET', '/roles.json', noInput, async ({ loop, servers }) => {
    await loop.fresh()
    const roles = servers.roles()
    // fromEntries defines own properties, so that a role called `__proto__` is one like any other.
    return { message: `${roles.size} roles`, result: Object.fromEntries(roles) }
  }),
  operation(
    'POST PATCH',
    '/servers/:host',
    serverInput,
    async (desk, { notifications, no_data_notification_group: noDataGroup }, host) => {
      const id = `server:${host}`
      if (notifications === true) {
        desk.servers.change(host, { notifications })
        await desk.mutes.end(id)
      } else if (notifications === false) {
        await desk.mutes.set({ ...bySwitch, id, kind: 'server', host, why: `${host} is muted` })
        desk.servers.change(host, { notifications })
      }
      if (noDataGroup !== undefined) desk.servers.change(host, { noDataGroup })
      const told = [
        ...(notifications === undefined ? [] : [`notifications are ${notifications ? 'on' : 'off'}`]),
        ...(noDataGroup === undefined ? [] : [`the no-data notification group is ${noDataGroup}`]),
      ]
      return { message: `${host}: ${told.join(', ')}` }
    },
  ),
  operation('DELETE', '/servers/:host', noInput, async (desk, _, host) => {
    desk.servers.remove(host)
    // The loop goes on with what is not ended at once.
    await desk.mutes.end(`server:${host}`).catch(() => {})
    desk.source.deleteServer(host)
    for (const alert of desk.ledger.open()) if (alert.host === host) desk.ledger.close(alert.id, desk.nowMs())
    return { message: `${host} was deleted` }
  }),
  operation(
    'POST',
    '/servers/:host/roles/add',
    z.object({ roles: names(50, 100) }),
    async (desk, { roles }, host) => {
      const words = { has: 'already has', joined: 'joined', created: 'joined the new role' }
      const done = roles.map((role) => `${words[desk.servers.addRole(host, role)]} ${role}`)
      return { message: `${host} ${done.join(', ')}` }
    },
  ),
  operation('POST PATCH', '/account', z.object({ notifications: truth }), async (desk, { notifications }) => {
    const mute = { ...bySwitch, id: 'account', kind: 'account' as const, why: 'the whole account is muted' }
    if (notifications) desk.servers.setAccount(true)
    await (notifications ? desk.mutes.end(mute.id) : desk.mutes.set(mute))
    desk.servers.setAccount(notifications)
    return { message: `notifications of the account are ${notifications ? 'on' : 'off'}` }
  }),
  operation('GET', '/markers.json', noInput, ({ servers }) => {
    const newest = servers.markers().slice(-markersMax).reverse()
    const results = newest.map(({ atMs, ...said }) => ({ time: new Date(atMs).toISOString(), ...said }))
    return { message: `${results.length} markers`, results }
  }),
  operation('POST', '/markers', markerInput, ({ servers, nowMs }, { notes, by }) => {
    servers.addMarker({ notes, atMs: nowMs(), ...(by !== '' && { by }) })
    return { message: 'the marker was added' }
  }),
  operation('GET', '/metrics.json', metricInput, metrics),
  operation(
    'DELETE',
    '/metrics',
    z.object({ metrics: names(20, 300) }),
    ({ source }, { metrics: wanted }) => {
      const gone = source.deleteMetrics(wanted)
      if (gone.length === 0)
        throw new Refusal(404, `metrics: no custom metric is called ${wanted.map(quoted).join(' or ')}`)
      const rest = wanted.filter((name) => !gone.includes(name))
      const unknown = rest.length === 0 ? '' : `; there was no ${rest.join(', ')}`
      return { message: `${gone.join(', ')} deleted${unknown}` }
    },
  ),
  operation('GET', '/targets.json', noInput, ({ servers, loop, source }) => {
    const results = servers.all().map(({ host, kind, environment }) => ({ server: host, kind, environment }))
    return {
      message: `${results.length} servers`,
      source: { ...source.state(), problem: loop.refusal()?.message ?? null },
      results,
    }
  }),
  ...muteOperations,
]

async function metrics(desk: Desk, input: z.output<typeof metricInput>): Promise<object> {
  await desk.loop.fresh()
  const type = input.metric_type
  const isWithout = type === 'cpu' || type === 'memory'
  const named = input.metric_source_name || (type === 'custom_metric' ? input.metric_name : '')
  if (!isWithout && named === '')
    throw new Refusal(422, `metric_source_name: expected a name for metric_type ${type}; came nothing`)
  const key = keyFor(type, isWithout ? '' : named, input.metric_name)
  const alert = input.alert === '' ? null : (desk.ledger.get(Number(input.alert)) ?? null)
  if (input.alert !== '' && alert === null)
    throw new Refusal(404, `alert: no alert has the number ${input.alert}`)
  const window = windowOf(input.duration, desk.nowMs())
  const hosts = chosenServers(desk.servers, input).map(({ host }) => host)
  const course = await (alert === null
    ? desk.source.series(key, hosts, window)
    : desk.source.course(alert, window))
  if (course === null) {
    const source = key.source === '' ? '' : ` with metric_source_name ${quoted(key.source)}`
    throw new Refusal(404, `metric_name: no metric ${quoted(key.metric)} of type ${type}${source} is known`)
  }
  if (course.blocks.length > blocksMax)
    throw new Refusal(422, `server: expected at most ${blocksMax} servers; came ${course.blocks.length}`)
  // Where no server has a value there is no point, and one that lacks a value there repeats none: each has its own times in common.
  const at = Array.from({ length: window.count }, (_, n) => n).filter((n) =>
    course.blocks.some(({ points }) => points[n] != null),
  )
  return {
    timestamps: at.map((n) => window.fromMs + n * window.stepMs),
    metrics: course.blocks.map(({ label, points }) => ({
      label,
      units: course.units,
      precision: course.precision,
      points: filled(at.map((n) => points[n] ?? null)).map(([min, mean, max]) =>
        input.display === 'range' ? [min, mean, max].map(rounded) : [mean, mean, mean].map(rounded),
      ),
    })),
  }
}

/** A server without a value at a time at which another has one keeps its last one (at first its next one): a point is three numbers. */
function filled(points: readonly (Point | null)[]): readonly Point[] {
  let last = points.find((point) => point !== null) ?? ([0, 0, 0] as const)
  return points.map((point) => {
    last = point ?? last
    return last
  })
}
